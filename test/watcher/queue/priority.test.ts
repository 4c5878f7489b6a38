import { priorityOf } from '../../../watcher/queue/delivery.ts';

const machine = { kind: 'machine' } as const;
const namespace = 'shoot';

test('pools with names that are too long for a key have different ones', () => {
  const long = 'a'.repeat(252);
  const keys = ['b', 'c'].map((end) =>
    Object(priorityOf(machine, { namespace, machineSet: long + end })),
  );
  expect(keys[0].fairnessKey).not.toBe(keys[1].fairnessKey);
  for (const { fairnessKey } of keys) expect(fairnessKey.length).toBeLessThanOrEqual(64);
  const longest = 'a'.repeat(64 - 'shoot/'.length);
  expect(priorityOf(machine, { namespace, machineSet: longest })).toEqual({
    fairnessKey: `shoot/${longest}`,
  });
});

test('sets and deployments go before all machines', () => {
  expect(priorityOf({ kind: 'machineSet' }, { namespace, machineDeployment: 'pool' })).toEqual({
    priorityKey: 1,
  });
});
