/**
 * `millwright driver verify` where the task queue of the driver is served by another install as
 * well.
 */
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DefaultLogger } from '@temporalio/worker';
import type { Rejection } from '../../../activities/place-interceptor.ts';
import { createPlaceInterceptor } from '../../../activities/place-interceptor.ts';
import { bundleKit } from '../../../cli/driver/conformance/temporal.ts';
import type { Question } from '../../../cli/driver/conformance/workflow.ts';
import type { Place } from '../../../workflows/api/place.ts';
import { onlyPlace } from '../../support/only-place.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';

let temporal: TemporalForTests;
let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  workflowBundle = await bundleKit(new DefaultLogger('ERROR'));
  temporal = await TemporalForTests.start(workflowBundle);
});
afterAll(() => temporal.stop());

const ours: Place = { cluster: 'c', namespace: 'shoot' };

test.each([
  { name: 'another namespace', other: { ...ours, namespace: 'garden' } },
  { name: 'another control cluster', other: { ...ours, cluster: 'd' } },
])('a question is answered by the driver of its install, not by that of $name', async (row) => {
  const { other } = row;
  const queue = `driver-of-${other.cluster}-${other.namespace}`;
  const rejections: Rejection[] = [];
  const workerOf = (place: Place) => ({
    taskQueue: queue,
    activities: { listInstances: async () => ({ instances: [place.namespace, place.cluster] }) },
    interceptors: {
      activity: [createPlaceInterceptor(onlyPlace(place), (one) => rejections.push(one))],
    },
  });
  const question: Question = { ...ours, activity: 'listInstances', queue, input: {} };
  const taskQueue = `kit-${queue}`;
  await temporal.withWorker({ taskQueue, workflowBundle }, async () => {
    const workflowId = `ask-${queue}`;
    const started = { workflowId, taskQueue, args: [question] };
    const asked = await temporal.client.workflow.start('askDriver', started);
    await temporal.withWorker(workerOf(other), async () => {
      await eventually('it was handed back', async () => rejections.length > 0);
    });
    expect(rejections[0]).toEqual({ ...ours, activity: 'listInstances', workflowId });
    await temporal.withWorker(workerOf(ours), async () => {
      const answer = { instances: ['shoot', 'c'] };
      expect(await resultOf(asked)).toEqual({ came: 'answer', answer });
    });
  });
});
