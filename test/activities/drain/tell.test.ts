import { expect, test } from '@jest/globals';
import { writeDrainEvents } from '../../../activities/drain/tell.ts';
import type { DrainReport } from '../../../workflows/activities.ts';
import { MemoryKube } from '../../support/memory-kube.ts';
import { lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
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
  const control = new MemoryKube();
  const target = new MemoryKube(budget);
  await writeDrainEvents({ control, target }, machine, report);
  expect(control.bodies).toMatchObject([
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
  const told = writeDrainEvents({ control: new MemoryKube(), target }, machine, report);
  await expect(told).resolves.toBeUndefined();
});

test('the Machine says that the drain goes on', async () => {
  const control = new MemoryKube();
  await writeDrainEvents({ control, target: new MemoryKube() }, machine, {
    ...report,
    blockers: [],
  });
  expect(control.bodies).toMatchObject([{ type: 'Normal', reason: 'DrainGoesOn' }]);
});
