import { viewOfMachineSet } from '../../../watcher/cache/set-view.ts';
import { aMachineSet } from '../../support/builders.ts';

test('a ReplicaFailure that comes after the counts is news for the deployment', () => {
  const status = { replicas: 2, observedGeneration: 1 };
  const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' } as const;
  const before = viewOfMachineSet(aMachineSet({ status }));
  const after = viewOfMachineSet(
    aMachineSet({ status: { ...status, machineSetCondition: [condition] } }),
  );
  expect(after.countDigest).not.toBe(before.countDigest);
});
