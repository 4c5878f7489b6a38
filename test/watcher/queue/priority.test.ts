import { expect, test } from 'vitest';
import { priorityOf } from '../../../watcher/queue/priority.ts';

const machine = { kind: 'machine' } as const;

test('machines take turns by their deployment, or by their set where they have none', () => {
  expect(priorityOf(machine, { machineSet: 'pool-1', machineDeployment: 'pool' })).toEqual({
    fairnessKey: 'pool',
  });
  expect(priorityOf(machine, { machineSet: 'pool-1' })).toEqual({ fairnessKey: 'pool-1' });
});

test('machines without a set have one share together, which no pool can have', () => {
  expect(priorityOf(machine, {})).toEqual({ fairnessKey: '(none)' });
});

test('pools with names that are too long for a key have different ones', () => {
  const long = 'a'.repeat(252);
  const keys = ['b', 'c'].map((end) => Object(priorityOf(machine, { machineSet: long + end })));
  expect(keys[0].fairnessKey).not.toBe(keys[1].fairnessKey);
  for (const { fairnessKey } of keys) expect(fairnessKey.length).toBeLessThanOrEqual(64);
  const longest = 'a'.repeat(64);
  expect(priorityOf(machine, { machineSet: longest })).toEqual({ fairnessKey: longest });
});

test('sets and deployments go before all machines', () => {
  expect(priorityOf({ kind: 'machineSet' }, { machineDeployment: 'pool' })).toEqual({
    priorityKey: 1,
  });
});
