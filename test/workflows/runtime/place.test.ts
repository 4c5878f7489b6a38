/**
 * Two workers of different installs on one task queue: each does its own, and no attempt is lost.
 */
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DefaultLogger } from '@temporalio/worker';
import type { Rejection } from '../../../activities/place-interceptor.ts';
import { createPlaceInterceptor } from '../../../activities/place-interceptor.ts';
import { bundleWorkflows } from '../../../workers/temporal/bundle-workflows.ts';
import type { Place } from '../../../workflows/api/place.ts';
import { placeOf } from '../../../workflows/api/place.ts';
import { onlyPlace } from '../../support/only-place.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';

let temporal: TemporalForTests;
let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  const workflowsPath = fileURLToPath(new URL('../../support/place-workflows.ts', import.meta.url));
  workflowBundle = await bundleWorkflows({ workflowsPath, logger: new DefaultLogger('ERROR') });
  temporal = await TemporalForTests.start(workflowBundle);
});
afterAll(() => temporal.stop());

const ours: Place = { cluster: 'c', namespace: 'shoot' };

/** Each attempt of the step that was really made. */
interface Work {
  attempts: number[];
  rejections: Rejection[];
}

function optionsOf(taskQueue: string, place: Place, { attempts, rejections }: Work) {
  const step = async (): Promise<string> => {
    attempts.push(Context.current().info.attempt);
    return place.namespace;
  };
  const interceptor = createPlaceInterceptor(onlyPlace(place), (rejection) =>
    rejections.push(rejection),
  );
  return {
    taskQueue,
    workflowBundle,
    activities: { step },
    interceptors: { activity: [interceptor] },
  };
}

async function eventsOf(workflowId: string): Promise<string[]> {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap((event) =>
    Object.entries(event).flatMap(([name, value]) =>
      name.endsWith('Attributes') && value ? [name.replace('EventAttributes', '')] : [],
    ),
  );
}

describe.each([
  { name: 'another namespace', place: { ...ours, namespace: 'garden' } },
  { name: 'another control cluster', place: { ...ours, cluster: 'd' } },
])('a worker for $name', ({ place }) => {
  test.each([
    { type: 'regular', attempts: [1], markers: 0 },
    // Temporal counts what was handed back, but nothing hangs on it where there is no limit.
    { type: 'endless', attempts: [expect.any(Number)], markers: 0 },
    { type: 'local', attempts: [1], markers: 1 },
  ])(
    'hands back a step of the workflow "$type", and the right worker does it once',
    async ({ type, attempts, markers }) => {
      const workflowId = `${type}-${place.cluster}-${place.namespace}`;
      const work: Work = { attempts: [], rejections: [] };
      const input = { ref: { namespace: ours.namespace, name: 'a' }, cluster: ours.cluster };
      const handle = await temporal.client.workflow.start(type, {
        workflowId,
        taskQueue: workflowId,
        args: [input],
        workflowTaskTimeout: '2s',
      });
      await temporal.withWorker(optionsOf(workflowId, place, work), async () => {
        await eventually('the wrong worker was given it', async () => work.rejections.length > 0);
      });
      expect(work.attempts).toEqual([]);
      expect(work.rejections[0]).toEqual({ ...ours, activity: 'step', workflowId });
      await temporal.withWorker(optionsOf(workflowId, ours, work), async () => {
        expect(await resultOf(handle)).toBe('shoot');
      });
      expect(work.attempts).toEqual(attempts);
      const events = await eventsOf(workflowId);
      // Neither did a local activity leave a marker of its failure.
      expect(events.filter((event) => event === 'markerRecorded')).toHaveLength(markers);
    },
  );
});

test('a step that is handed back for days fails before its run has too many events', async () => {
  const workflowId = 'long';
  const handle = await temporal.client.workflow.start('regular', {
    workflowId,
    taskQueue: workflowId,
    args: [{ ref: { namespace: ours.namespace, name: 'a' }, cluster: ours.cluster }],
  });
  for (let sent = 0; sent < 4_000; sent += 200) {
    await Promise.all(Array.from({ length: 200 }, () => handle.signal('news')));
  }
  const work: Work = { attempts: [], rejections: [] };
  const garden = { ...ours, namespace: 'garden' };
  await temporal.withWorker(optionsOf(workflowId, garden, work), async () => {
    await expect(resultOf(handle)).rejects.toMatchObject({
      cause: { cause: { message: expect.stringContaining('not for shoot of c') } },
    });
  });
  expect(work.attempts).toEqual([]);
});

test.each([
  {
    input: { ref: { namespace: 'a', name: 'b' }, cluster: 'c' },
    place: { cluster: 'c', namespace: 'a' },
  },
  {
    input: { namespace: 'a', cluster: 'c', mode: 'report' },
    place: { cluster: 'c', namespace: 'a' },
  },
  { input: { namespace: 'a' }, place: undefined },
  { input: { cluster: 'c' }, place: undefined },
  { input: { cluster: 7, ref: null }, place: undefined },
  { input: undefined, place: undefined },
])('the place of a workflow is read from its input: $input', ({ input, place }) => {
  expect(placeOf(input)).toEqual(place);
});
