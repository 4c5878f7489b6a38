import type { NodeCondition } from '../../../../workflows/api/meta.ts';
import type {
  HealthFinding,
  HealthState,
  HealthCheck,
} from '../../../../workflows/plan/machine/health.ts';
import {
  afterCheck,
  beforeCheck,
  conditionsDiffer,
  deadlineOf,
  isMeltdown,
  nextPhase,
  nodeFaults,
} from '../../../../workflows/plan/machine/health.ts';

type Status = NodeCondition['status'];
const ready = (status: Status): NodeCondition => ({ type: 'Ready', status });
const full = (status: Status): NodeCondition => ({ type: 'DiskPressure', status });
const harmful = ['DiskPressure', 'KernelDeadlock'];

describe('a Node is healthy', () => {
  test.each<{ name: string; conditions: NodeCondition[] }>([
    { name: 'when no harmful condition holds', conditions: [ready('True'), full('False')] },
  ])('$name', ({ conditions }) => {
    expect(nodeFaults(conditions, harmful)).toEqual([]);
  });
});

test.each<{ name: string; conditions: NodeCondition[]; fault: string }>([
  { name: 'nothing is said', conditions: [], fault: 'the Node has no conditions' },
  { name: 'it is not Ready', conditions: [ready('False')], fault: 'Ready is False' },

  {
    name: 'a harmful condition holds',
    conditions: [ready('True'), full('True')],
    fault: 'DiskPressure is True',
  },
  {
    name: 'nobody knows of a harmful condition',
    conditions: [ready('True'), full('Unknown')],
    fault: 'DiskPressure is Unknown',
  },
  {
    name: 'for a reason that is named',
    conditions: [{ ...ready('Unknown'), reason: 'NodeStatusUnknown', message: 'silent' }],
    fault: 'Ready is Unknown (NodeStatusUnknown: silent)',
  },
])('a Node is unhealthy when $name', ({ conditions, fault }) => {
  expect(nodeFaults(conditions, harmful)).toEqual([fault]);
});

test('of many faults, however long, a few words are kept', () => {
  const types = Array.from({ length: 5_000 }, (_, index) => `T${index}`);
  const message = 'x'.repeat(1_000);
  const conditions = types.map((type) => ({ type, status: 'True' as const, message }));
  const faults = nodeFaults(conditions, types);
  expect([faults.length, faults.at(-1)]).toEqual([11, '4990 more']);
  expect(faults[0]).toHaveLength(300);
});

const inPlace = (reason: string): NodeCondition => ({
  type: 'InPlaceUpdate',
  status: 'True',
  reason,
});

describe('conditions are copied', () => {
  const heartbeat = { ...ready('True'), lastHeartbeatTime: '2026-01-01T00:00:00Z' };
  test.each<{ name: string; from: NodeCondition[]; to: NodeCondition[]; differ: boolean }>([
    { name: 'not for a heartbeat', from: [ready('True')], to: [heartbeat], differ: false },

    {
      name: 'for a type that went',
      from: [ready('True'), full('False')],
      to: [full('False')],
      differ: true,
    },

    {
      name: 'for the reason of an update in place',
      from: [inPlace('a')],
      to: [inPlace('b')],
      differ: true,
    },
  ])('$name', ({ from, to, differ }) => {
    expect(conditionsDiffer(from, to)).toBe(differ);
  });
});

test.each([
  ['Running', false, 'Unknown'],

  ['Failed', false, 'Failed'],
] as const)('%s, healthy %s: %s', (phase, isHealthy, next) => {
  expect(nextPhase(phase, isHealthy)).toBe(next);
});

test.each([
  [1, 1, false],

  [3, 3, true],

  [3, 6, false],
])('%d of %d machines Unknown is a meltdown: %s', (unknown, joined, expected) => {
  expect(isMeltdown({ unknown, joined })).toBe(expected);
});

const at = (time: number): HealthCheck => ({ seen: 'x', begunAt: time, endedAt: time, random: 0 });

describe('the clock', () => {
  const minute = 60_000;
  const start = 1_000 * minute;
  const sick: HealthFinding = {
    phase: 'Unknown',
    since: start,
    timeoutSeconds: 600,
    faults: ['Ready is False'],
  };
  const fell = afterCheck(undefined, sick, at(start));
  const minutesLeft = (state: HealthState): number => ((deadlineOf(state) ?? NaN) - start) / minute;

  test('the last look is at the deadline', () => {
    const last = afterCheck(fell, sick, at(start + 9.5 * minute));
    expect(last.checkAt).toBe(start + 10 * minute);
  });

  test('ends when the machine is Running again', () => {
    const well = afterCheck(fell, { phase: 'Running', faults: [] }, at(start + minute));
    expect(well).toEqual({ seen: 'x', checkedAt: start + minute, pausedMs: 0 });
  });

  test('such a check is made again also where no timeout runs: it may say Running of an ill machine', () => {
    const { timeoutSeconds: _none, ...disabled } = sick;
    const slow = { ...at(start), endedAt: start + 2_000 };
    expect(afterCheck(undefined, disabled, slow).checkAt).toBe(start + 2_000 + minute);
  });

  test('does not run with disableHealthTimeout', () => {
    const { timeoutSeconds: _none, ...disabled } = sick;
    const state = afterCheck(undefined, disabled, at(start));
    expect(deadlineOf(state)).toBeUndefined();
    expect(state.checkAt).toBeUndefined();
  });

  test.each<HealthFinding & { phase: string }>([
    { phase: 'Running', faults: ['no'] },
    { phase: 'Unknown', since: start, faults: ['no'] },
  ])('has a refused deletion of a machine that is $phase tried again', (finding) => {
    const state = afterCheck(undefined, { ...finding, refusal: 'no' }, at(start));
    expect(state.checkAt).toBe(start + minute);
    expect(state.waitsFor).toContain('no');
  });

  test('stands still while an API server is out of reach', () => {
    const first = afterCheck(fell, { outOfReach: 'refused' }, at(start + minute));
    expect(minutesLeft(first)).toBe(11);
    expect(first.waitsFor).toContain('refused');
    const second = afterCheck(first, { outOfReach: 'refused' }, at(start + 2 * minute));
    expect(minutesLeft(second)).toBe(12);
    expect(minutesLeft(afterCheck(second, sick, at(start + 2.2 * minute)))).toBe(12);
  });

  test('leaves at least a look after an outage that began in the last moment', () => {
    const late = { ...fell, checkedAt: start + 9.99 * minute };
    const state = afterCheck(late, { outOfReach: 'refused' }, at(start + 10 * minute));
    expect(minutesLeft(state)).toBe(11);
  });

  test('begins when the step ends that found it unhealthy and took long', () => {
    const slow = { ...at(start + 4 * minute), begunAt: start };
    expect(minutesLeft(afterCheck(undefined, sick, slow))).toBe(14);
    const well = afterCheck(fell, { phase: 'Running', faults: [] }, at(start - minute));
    expect(minutesLeft(afterCheck(well, sick, slow))).toBe(14);
  });

  test('stands still in a meltdown, and the reason is said', () => {
    const hold = { reason: '3 of 4 machines', isMeltdown: true };
    const state = afterCheck(
      { ...fell, checkedAt: start + 9 * minute },
      { ...sick, hold },
      at(start + 10 * minute),
    );
    expect(minutesLeft(state)).toBe(11);
    expect(state.waitsFor).toBe('3 of 4 machines; unhealthy: Ready is False');
  });

  test('stood still while nobody looked', () => {
    const before = beforeCheck({ ...fell, checkedAt: start + minute }, start + 61 * minute);
    expect(minutesLeft(before ?? fell)).toBe(70);
    expect(beforeCheck(fell, start + minute)).toBe(fell);
  });

  test('stood still until somebody could look again', () => {
    const away = afterCheck(fell, { outOfReach: 'refused' }, at(start + minute));
    const before = beforeCheck(away, start + 2.9 * minute);
    expect(minutesLeft(before ?? fell)).toBeCloseTo(12.9);
    const seen = afterCheck(before, sick, at(start + 2.9 * minute));
    const next = start + 3.9 * minute;
    expect(minutesLeft(beforeCheck(seen, next) ?? fell)).toBeCloseTo(12.9);
  });

  test('a short timeout is looked at more often', () => {
    const state = afterCheck(undefined, { ...sick, timeoutSeconds: 8 }, at(start));
    expect(state.checkAt).toBe(start + 2_000);
  });
});
