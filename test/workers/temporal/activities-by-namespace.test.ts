/** To which namespace an activity goes, and what becomes of one that is for none. */
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { DefaultLogger } from '@temporalio/worker';
import { kubeActivityNames } from '../../../activities/gates.ts';
import { createKubeActivities } from '../../../activities/index.ts';
import type { Rejection } from '../../../activities/place-interceptor.ts';
import { createPlaceInterceptor } from '../../../activities/place-interceptor.ts';
import { routed } from '../../../activities/routed.ts';
import type { NamespaceActivities } from '../../../workers/temporal/activities-by-namespace.ts';
import { ActivitiesByNamespace } from '../../../workers/temporal/activities-by-namespace.ts';
import { placeHeader } from '../../../workflows/api/place.ts';
import { aWorld } from '../../support/world.ts';

const found = (provider: string) => ({ found: true as const, provider });

const none = (): never => {
  throw new Error('not asked for');
};

function activitiesOf(name: string): NamespaceActivities {
  const kube = { ...createKubeActivities(aWorld()), findProvider: async () => found(name) };
  return { kube, drain: { drainNode: none }, driver: none, inlineDriver: none };
}

interface Fleet {
  only?: string;
  served?: string[];
  /** Why others are not. */
  reasons?: Record<string, string>;
}

/** Calls an activity for a namespace, as a worker of these namespaces does. */
function workerOf({ only, served = ['a', 'b'], reasons = {} }: Fleet) {
  const activities = new ActivitiesByNamespace({
    cluster: 'c',
    only,
    mayBeOurs: (namespace) => namespace in reasons,
    whyNotServed: (namespace) => reasons[namespace],
  });
  for (const name of served) activities.add(name, activitiesOf(name));
  const rejections: Rejection[] = [];
  const place = createPlaceInterceptor(activities, (one) => void rejections.push(one));
  const { findProvider } = routed(kubeActivityNames, () => activities.current().kube);
  const call = async (namespace: string | undefined, info: Partial<Info> = {}) => {
    const headers =
      namespace === undefined
        ? {}
        : { [placeHeader]: defaultPayloadConverter.toPayload({ cluster: 'c', namespace }) };
    const withHeader: ActivityInterceptorsFactory = () => ({
      inbound: { execute: (input, next) => next({ ...input, headers }) },
    });
    const interceptors = [withHeader, place];
    const logger = new DefaultLogger('ERROR');
    const environment = new MockActivityEnvironment(info, { interceptors, logger });
    return await environment.run(() => findProvider({ className: 'any' }));
  };
  return { call, rejections, activities };
}

test('an activity acts in its own namespace, also when several run at once', async () => {
  const { call } = workerOf({});
  const answers = await Promise.all(['a', 'b', 'a'].map((namespace) => call(namespace)));
  expect(answers).toEqual(['a', 'b', 'a'].map(found));
});

test.each([
  { form: 'regular', info: {}, type: 'NamespaceNotServed', nonRetryable: false },
  { form: 'local', info: { isLocal: true }, type: 'NamespaceNotServed', nonRetryable: true },
  {
    form: 'limited',
    info: { retryPolicy: { maximumAttempts: 1 } },
    type: 'OtherInstall',
    nonRetryable: true,
  },
])(
  'a $form one of a namespace that is not served waits, and says why',
  async ({ info, type, nonRetryable }) => {
    const { call, rejections } = workerOf({ reasons: { c: 'Secret c/target does not exist' } });
    const failure = await call('c', info).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type,
      nonRetryable,
      message: 'namespace c is not served: Secret c/target does not exist',
    });
    expect(rejections).toEqual([]);
  },
);

test('one of another install is handed back', async () => {
  const { call, rejections } = workerOf({});
  await expect(call('x')).rejects.toMatchObject({ type: 'OtherInstall' });
  expect(rejections).toMatchObject([{ cluster: 'c', namespace: 'x' }]);
});

test('one that names no namespace is for the only one, and in a fleet for nobody', async () => {
  expect(await workerOf({ only: 'a' }).call(undefined)).toEqual(found('a'));
  await expect(workerOf({}).call(undefined)).rejects.toMatchObject({ type: 'OtherInstall' });
});

test('a namespace that is let go gets nothing any more', async () => {
  const { call, activities } = workerOf({ reasons: { a: 'the namespace is served no more' } });
  activities.remove('a');
  await expect(call('a')).rejects.toMatchObject({ type: 'NamespaceNotServed' });
});
