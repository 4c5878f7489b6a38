import fc from 'fast-check';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';
import type { MachineFacts } from '../../../../workflows/plan/machine/facts.ts';
import { digestOfHold } from '../../../../workflows/plan/machine/hooks.ts';
import { planMachine } from '../../../../workflows/plan/machine/plan.ts';

const now = 1_000_000;
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const phases: MachinePhase[] = [
  '',
  'Pending',
  'Running',
  'Available',
  'Failed',
  'Unknown',
  'CrashLoopBackOff',
];
const hooks = ['a', 'b'].map((owner) => ({ annotation: `hook/${owner}`, owner }));
const someTime = fc.integer({ min: now - 10_000, max: now + 10_000 });
const anyMode = fc.record({ byForce: fc.boolean(), options: fc.constantFrom('', 'skipped') });
const anyHooks = fc.array(fc.constantFrom(...hooks), { minLength: 1, maxLength: 2 });
const anyKnown = fc.record({ drain: anyHooks, instance: anyHooks }, { requiredKeys: [] });
const anyFacts: fc.Arbitrary<MachineFacts> = fc.record(
  {
    isGone: fc.boolean(),
    isDeleting: fc.boolean(),
    hasFinalizer: fc.boolean(),
    drain: anyMode,
    isRead: fc.boolean(),
    wasCreateSent: fc.boolean(),
    isOwned: fc.boolean(),
    phase: fc.constantFrom(...phases),
    isRecorded: fc.boolean(),
    usesTarget: fc.boolean(),
    isNodeReady: fc.boolean(),
    isNodeBehind: fc.boolean(),
    createDeadline: someTime,
    instance: fc.constant(instance),
    provider: fc.constant('virtual'),
    unsettledUntil: someTime,
    outage: fc.record({
      failures: fc.constant(1),
      message: fc.constant('away'),
      retryAt: someTime,
    }),
    health: fc.record(
      { mustCheck: fc.boolean(), checkAt: someTime, waitsFor: fc.constant('ill') },
      { requiredKeys: ['mustCheck'] },
    ),
    failure: fc.record({
      detail: fc.constant({ code: 'Internal' as const, message: 'no luck', isSettled: true }),
      attempts: fc.integer({ min: 1, max: 30 }),
      retryAt: someTime,
    }),
    teardown: fc.record({
      stage: fc.constantFrom(
        'searching' as const,
        'draining' as const,
        'deleting' as const,
        'deleted' as const,
        'finished' as const,
      ),
    }),
    hooks: fc.record(
      {
        known: anyKnown,
        isDrainBegun: fc.boolean(),
        mustCheck: fc.boolean(),
        reported: anyHooks.map((held) => digestOfHold({ part: 'instance', hooks: held }) ?? ''),
      },
      { requiredKeys: ['isDrainBegun', 'mustCheck'] },
    ),
    running: fc.record({
      name: fc.constantFrom('create' as const, 'drain' as const, 'deleteInstance' as const),
      isCancelRequested: fc.boolean(),
      drain: anyMode,
    }),
  },
  {
    requiredKeys: [
      'isGone',
      'isDeleting',
      'hasFinalizer',
      'drain',
      'isRead',
      'wasCreateSent',
      'isOwned',
      'phase',
      'isRecorded',
      'usesTarget',
      'isNodeReady',
      'isNodeBehind',
      'createDeadline',
    ],
  },
);

describe('whatever the facts', () => {
  const destroys = new Set(['drain', 'deleteInstance', 'finishTeardown']);

  test('nothing is destroyed before a teardown began', () => {
    fc.assert(
      fc.property(anyFacts, ({ teardown: _none, ...given }) => {
        expect(destroys.has(planMachine(given, now).action)).toBe(false);
      }),
    );
  });

  test('while a hook stands, what it holds does not begin', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { known, isDrainBegun } = given.hooks ?? { isDrainBegun: false };
        const isDrainHeld = known?.drain !== undefined && !isDrainBegun;
        const isHeld = isDrainHeld || known?.instance !== undefined;
        const isLeft = given.teardown?.stage !== 'deleted';
        const held = [
          ...(isDrainHeld ? ['drain'] : []),
          ...(isHeld ? ['deleteInstance'] : []),
          ...(isHeld && isLeft ? ['finishTeardown'] : []),
        ];
        expect(held).not.toContain(planMachine(given, now).action);
      }),
    );
  });

  test('a teardown begins exactly when the object is there, deleted, and has our finalizer', () => {
    fc.assert(
      fc.property(anyFacts, ({ teardown: _teardown, running: _running, ...given }) => {
        const mayBegin = !given.isGone && given.isDeleting && given.hasFinalizer;
        expect(planMachine(given, now).action === 'beginTeardown').toBe(mayBegin);
      }),
    );
  });

  test('one step at a time: while one runs, the loop waits or cancels', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        fc.pre(given.running !== undefined);
        expect(['wait', 'cancel']).toContain(planMachine(given, now).action);
      }),
    );
  });

  test('a machine that is up joins no second time', () => {
    const up = anyFacts.filter(({ phase }) => phase === 'Running' || phase === 'Available');
    fc.assert(
      fc.property(up, (given) => {
        expect(planMachine(given, now).action).not.toBe('recordJoined');
      }),
    );
  });

  test('nothing is created by what was known of the class before', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        expect(planMachine({ ...given, isRead: false }, now).action).not.toBe('create');
      }),
    );
  });

  test('no machine fails, or joins, with an instance that its object does not name', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { action } = planMachine({ ...given, instance, isRecorded: false }, now);
        expect(['recordTimeout', 'recordJoined']).not.toContain(action);
      }),
    );
  });

  test('an alarm is never set for the past', () => {
    const coming = anyFacts.filter(({ phase }) => phase !== 'Running' && phase !== 'Available');
    fc.assert(
      fc.property(coming, (given) => {
        fc.pre(given.outage === undefined || !given.isRead);
        const step = planMachine(given, now);
        const until = step.action === 'wait' ? step.until : undefined;
        expect(until ?? Infinity).toBeGreaterThan(now);
      }),
    );
  });

  test('an instance is never made for a machine that is going', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        fc.pre(given.isDeleting || given.isGone);
        expect(planMachine(given, now).action).not.toBe('create');
      }),
    );
  });

  test('there is at most one instance: none is made beside a known one', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        fc.pre(given.instance !== undefined);
        expect(planMachine(given, now).action).not.toBe('create');
      }),
    );
  });
});
