import fc from 'fast-check';
import type { RunningStep } from '../../../../workflows/plan/machine/steps.ts';
import type { MachineFacts, PreservationFacts } from '../../../../workflows/plan/machine/facts.ts';
import { isLong } from '../../../../workflows/plan/machine/steps.ts';
import type { Row } from './rows.ts';
import { asked, deleted, now, pending, plan, running, wantedOf } from './rows.ts';

function spoken(changes: Partial<PreservationFacts> = {}): { preservation: PreservationFacts } {
  return { preservation: { mustCheck: false, mustDrain: false, forcesDrain: false, ...changes } };
}

const until = now + 60_000;
const failed = { ...pending, phase: 'Failed' as const, health: { mustCheck: false } };
const draining: { running: RunningStep } = {
  running: { name: 'drainPreserved', isCancelRequested: false, drain: asked },
};

describe('preservation', () => {
  test.each<Row>([
    {
      name: 'something changed: it is looked at',
      given: { ...running, ...spoken({ mustCheck: true }) },
      action: 'preserve',
    },

    {
      name: 'whatever it waits for, it wakes when its time is over',
      given: { ...running, ...spoken({ until }) },
      action: 'wait',
      reason: 'runs on Node pool-a; preserved',
      until,
    },
    {
      name: 'its time is over',
      given: { ...running, ...spoken({ until: now }) },
      action: 'preserve',
    },

    {
      name: 'also when the time is over meanwhile',
      given: { ...running, ...spoken({ until: now - 1, checkAt: now + 9_000 }) },
      action: 'wait',
      until: now + 9_000,
    },
    {
      name: 'the Node of a Failed one is drained',
      given: { ...failed, ...spoken({ until, mustDrain: true }) },
      action: 'drainPreserved',
    },
    {
      name: 'a drain that failed waits',
      given: { ...failed, ...spoken({ until, mustDrain: true, drainAt: now + 4_000 }) },
      action: 'wait',
      until: now + 4_000,
    },
    {
      name: 'a Failed one that never joined joins late when it is preserved',
      given: { ...pending, phase: 'Failed', isNodeReady: true, ...spoken({ until }) },
      action: 'recordJoined',
    },

    {
      name: 'no instance is made for one that is kept without',
      given: { phase: 'Failed', isRead: true, provider: 'virtual', ...spoken({ until }) },
      action: 'wait',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});

describe('beside a drain of a Node that is kept', () => {
  const kept = spoken({ until, mustDrain: true });
  test.each<Row>([
    { name: 'it waits', given: { ...failed, ...draining, ...kept }, action: 'wait', until },
    {
      name: 'health goes on',
      given: { ...failed, ...draining, ...kept, health: { mustCheck: true } },
      action: 'checkHealth',
    },

    {
      name: 'a deletion ends it',
      given: { ...failed, ...draining, ...kept, ...deleted },
      action: 'cancel',
    },
    {
      name: 'so does an object that is gone',
      given: { ...failed, ...draining, ...kept, isGone: true },
      action: 'cancel',
    },
    {
      name: 'so does the end of the preservation',
      given: { ...failed, ...draining },
      action: 'cancel',
      reason: 'need not be drained',
    },
    {
      name: 'so does the label force-drain',
      given: { ...failed, ...draining, ...spoken({ mustDrain: true, forcesDrain: true }) },
      action: 'cancel',
      reason: 'force-drain',
    },
    {
      name: 'a drain that is cancelled is waited for',
      given: {
        ...failed,
        ...deleted,
        running: { ...draining.running, isCancelRequested: true },
      },
      action: 'wait',
      reason: 'being cancelled',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });

  const someTime = fc.integer({ min: now - 9_000, max: now + 9_000 });
  const anyKept = fc.record(
    {
      mustCheck: fc.boolean(),
      mustDrain: fc.boolean(),
      forcesDrain: fc.boolean(),
      until: someTime,
      checkAt: someTime,
      drainAt: someTime,
    },
    { requiredKeys: ['mustCheck', 'mustDrain', 'forcesDrain'] },
  );
  const anyPhase = fc.constantFrom<MachineFacts['phase']>(
    '',
    'Pending',
    'Running',
    'Unknown',
    'Failed',
  );

  test('nothing else of length is begun, and no alarm is for the past', () => {
    fc.assert(
      fc.property(anyKept, anyPhase, fc.boolean(), (preservation, phase, isOwned) => {
        const step = plan({ ...pending, ...draining, phase, isOwned, preservation });
        expect(isLong(step.action)).toBe(false);
        const end = step.action === 'wait' ? step.until : undefined;
        expect(end ?? Infinity).toBeGreaterThan(now);
      }),
    );
  });
});
