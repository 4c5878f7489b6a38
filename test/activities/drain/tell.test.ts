import { expect, test } from '@jest/globals';
import { tellOfDrain } from '../../../activities/drain/tell.ts';
import type { DrainReport } from '../../../workflows/activities.ts';
import { customResource } from '../../../activities/kube/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { MemoryKube } from '../../support/memory-kube.ts';
import { lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const report: DrainReport = {
  uid: machine.uid,
  podsLeft: 2,
  blockerCount: 1,
  blockers: [
    {
      blockedBy: 'PodDisruptionBudget/default/web',
      pod: 'default/web-0',
      podUid: 'u',
      since: 0,
      why: 'PodDisruptionBudget default/web: no',
      nextTryAt: 5_000,
    },
  ],
};
const budget = {
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'default', uid: 'uid-of-budget' },
};

test('the Machine and the budget say what is in the way', async () => {
  const control = new MemoryKube(aMachine({ phase: 'Terminating' }));
  const target = new MemoryKube(budget);
  await tellOfDrain({ control, target }, { machine }, report);
  const { status } = await control.read<Machine>(path);
  expect(status?.lastOperation).toMatchObject({
    description:
      'Draining the Node: 2 pods left: default/web-0: PodDisruptionBudget default/web: no',
    state: 'Processing',
    type: 'Delete',
  });
  expect(control.bodies.slice(1)).toMatchObject([
    {
      involvedObject: { kind: 'Machine', name: 'pool-a' },
      type: 'Warning',
      reason: 'DrainBlocked',
      message: '2 pods left: default/web-0: PodDisruptionBudget default/web: no',
    },
  ]);
  expect(target.bodies).toMatchObject([
    { involvedObject: { kind: 'PodDisruptionBudget', name: 'web', uid: 'uid-of-budget' } },
  ]);
});

test('a cluster that takes no Event about a budget does not hold up the drain', async () => {
  const target = new MemoryKube(budget);
  target.fault = ({ method }) =>
    method === 'POST' ? { code: 403, reason: 'Forbidden' } : undefined;
  const told = tellOfDrain({ control: new MemoryKube(), target }, { machine }, report);
  await expect(told).resolves.toBeUndefined();
});

test('the Machine says that the drain goes on', async () => {
  const control = new MemoryKube();
  const clusters = { control, target: new MemoryKube() };
  await tellOfDrain(clusters, { machine, keepsNode: true }, { ...report, blockers: [] });
  // Of a machine that is kept, the last operation stays.
  expect(control.bodies).toMatchObject([{ type: 'Normal', reason: 'DrainGoesOn' }]);
});
