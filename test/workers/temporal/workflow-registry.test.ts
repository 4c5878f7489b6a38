import { createWorkflowRegistry } from '../../../workers/temporal/workflow-registry.ts';
import { Case, orError } from '../../simulation/temporal/case.ts';

const identity = { cluster: 'uid-of-seed', name: 'a', taskQueue: 'a' };

test('a run that no worker can replay is signalled that its object is gone, and so begins anew', async () => {
  const its = new Case();
  await its.start();
  await its.complete(await its.task());
  const registry = createWorkflowRegistry({
    temporal: its.client,
    namespace: 'a',
    identity,
    timeouts: { workflowTaskSeconds: 10, heartbeatSeconds: 30 },
    creationTimeoutSeconds: 1_200,
  });
  const dead = { kind: 'machine', name: 'b', resourceVersion: '5' } as const;
  const signalled = orError(registry.signalGone(dead, 1));
  await its.refuseQueries(await its.task());
  const { jobs } = await its.task();
  expect(jobs).toMatchObject([{ signalWorkflow: { signalName: 'machineGone' } }]);
  expect(await signalled).toBeUndefined();
});
