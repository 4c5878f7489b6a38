/** `status` and `plan` reckon by the same time of a creation, and by the same middle. */
import { creationMsOf, medianOf } from '../../../cli/install/creation-times.ts';
import { durationsOf } from '../../../cli/plan/durations.ts';
import { progressOf } from '../../../cli/install/rollout.ts';
import type { LastOperation, Machine } from '../../../workflows/api/machine.ts';
import { timestamp } from '../../../kube/objects/time.ts';
import { aMachine, aMachineDeployment, aMachineSet, createdAt } from '../../support/builders.ts';

const after = (seconds: number): string => timestamp(Date.parse(createdAt) + seconds * 1_000);

/** Its Node was restarted after an hour. */
function machineWith(lastOperation: LastOperation): Machine {
  return aMachine({
    status: {
      currentStatus: { phase: 'Running' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: after(3_600) }],
      lastOperation,
    },
  });
}

const joinedAfter = (seconds: number): Machine =>
  machineWith({ type: 'Create', state: 'Successful', lastUpdateTime: after(seconds) });

test('a creation lasts until the machine was Running for the first time', () => {
  expect(creationMsOf(joinedAfter(90))).toBe(90_000);
  expect(creationMsOf(joinedAfter(-1))).toBe(0);
});

test.each<[string, LastOperation]>([
  ['is on its way', { type: 'Create', state: 'Processing', lastUpdateTime: after(60) }],
  ['failed', { type: 'Create', state: 'Failed', lastUpdateTime: after(60) }],
  ['recovered', { type: 'HealthCheck', state: 'Successful', lastUpdateTime: after(9_000) }],
  ['has no time', { type: 'Create', state: 'Successful' }],
])('a machine that %s does not say how long its creation took', (_what, operation) => {
  expect(creationMsOf(machineWith(operation))).toBeUndefined();
});

test.each([
  [[], undefined],
  [[7], 7],
  [[30, 10], 20],
  [[100, 10, 20], 20],
  [[100, 10, 20, 30], 25],
])('the middle of %j is %s', (values, expected) => {
  expect(medianOf(values)).toBe(expected);
});

test('status and plan say the same of the same machines', () => {
  const machines = [30, 90, 150, 600].map(joinedAfter);
  const pool = { sets: [{ set: aMachineSet(), machines }], deployment: aMachineDeployment() };
  const { joinMs } = progressOf(pool, Date.parse(after(7_200)));
  const past = { machines, classes: [], deletions: [] };
  const { creation } = durationsOf(past, { className: 'small', template: {} });
  expect(joinMs).toBe(120_000);
  expect(creation).toMatchObject({ seconds: 120, source: '4 machines of class small' });
});
