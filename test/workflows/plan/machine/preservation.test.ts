import fc from 'fast-check';
import type {
  PreservationFacts,
  PreservationPlan,
} from '../../../../workflows/plan/machine/preservation.ts';
import {
  effectiveRequest,
  planPreservation,
} from '../../../../workflows/plan/machine/preservation.ts';

const now = 1_000_000;
const later = now + 60_000;

function facts(changes: Partial<PreservationFacts>): PreservationFacts {
  return { requests: {}, hasNode: true, phase: 'Running', timeoutSeconds: 60, ...changes };
}

describe('whose word counts', () => {
  test.each([
    { name: 'the Node', requests: { node: 'when-failed' }, value: 'when-failed', from: 'node' },

    {
      name: 'the Node, also when it takes its word back',
      requests: { lastApplied: 'now', machine: 'now' },
      value: undefined,
      from: 'node',
    },
    {
      name: 'the Machine, when the Node never said anything',
      requests: { node: '', machine: 'now' },
      value: 'now',
      from: 'machine',
    },
    {
      name: 'the last word of a Node that got lost',
      hasNode: false,
      requests: { lastApplied: 'when-failed' },
      value: 'when-failed',
      from: 'node',
    },
    {
      name: 'the Machine, when its Node got lost and somebody wrote there since',
      hasNode: false,
      requests: { lastApplied: 'when-failed', machine: 'false' },
      value: 'false',
      from: 'machine',
    },
  ])('$name', ({ requests, hasNode = true, value, from }) => {
    expect(effectiveRequest({ requests, hasNode })).toEqual({
      ...(value !== undefined && { value }),
      from,
      faults: [],
    });
  });

  test('what nobody understands is named, with what is allowed', () => {
    const { value, faults } = effectiveRequest({ requests: { machine: 'Now' }, hasNode: true });
    expect(value).toBeUndefined();
    expect(faults).toEqual([
      'Machine: annotation node.machine.sapcloud.io/preserve: "Now" is not understood and counts as absent: use "now", "when-failed" or "false"',
    ]);
  });

  test('a typing error in the annotation of the Node changes nothing', () => {
    const requests = { node: 'nwo', lastApplied: 'now' };
    expect(effectiveRequest({ requests, hasNode: true })).toMatchObject({
      value: 'now',
      from: 'node',
    });
    const fresh = { node: 'nwo', machine: 'when-failed' };
    expect(effectiveRequest({ requests: fresh, hasNode: true })).toMatchObject({
      value: 'when-failed',
      from: 'machine',
      faults: [expect.stringContaining('Node')],
    });
  });
});

interface Row {
  value?: string;
  given?: Partial<PreservationFacts>;
  plan: Partial<PreservationPlan>;
}

const failed = { phase: 'Failed' } as const;
const kept = { expiresAt: later };
const over = { expiresAt: now };
const expired = { action: 'stop', reason: 'expired', forgets: true } as const;
const recovered = { action: 'stop', reason: 'recovered' } as const;

describe('what is done', () => {
  test.each<Row>([
    { given: failed, plan: { action: 'none' } },

    { value: 'false', given: kept, plan: { action: 'stop', reason: 'withdrawn', forgets: false } },

    { value: 'now', plan: { action: 'preserve', until: later, isNew: true, isToBeDrained: false } },

    { value: 'now', given: over, plan: expired },

    { value: 'when-failed', plan: { action: 'none' } },
    { value: 'when-failed', given: kept, plan: { ...recovered, forgets: false } },

    { value: 'auto-preserved', plan: { ...recovered, forgets: true } },

    { value: 'auto-preserved', given: failed, plan: { action: 'preserve', until: later } },
  ])('$value, given $given: $plan', ({ value, given = {}, plan }) => {
    const requests = value === undefined ? {} : { machine: value };
    expect(planPreservation(facts({ requests, ...given }), now)).toMatchObject(plan);
  });

  test('the end is a whole second, as it is written, and not before the time', () => {
    const plan = planPreservation(facts({ requests: { machine: 'now' } }), now + 1);
    expect(plan).toMatchObject({ until: later + 1_000 });
  });
});

const anyText = fc.constantFrom('', 'now', 'when-failed', 'auto-preserved', 'false', 'nwo');
const anyFacts: fc.Arbitrary<PreservationFacts> = fc.record(
  {
    requests: fc.record({ machine: anyText, node: anyText, lastApplied: anyText }),
    hasNode: fc.boolean(),
    phase: fc.constantFrom('' as const, 'Pending', 'Running', 'Unknown', 'Failed'),
    expiresAt: fc.integer({ min: now - 9_000, max: now + 9_000 }),
    timeoutSeconds: fc.nat(100),
  },
  { requiredKeys: ['requests', 'hasNode', 'phase', 'timeoutSeconds'] },
);

describe('whatever is said', () => {
  test('what was planned for now is planned again, until its time is over', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const first = planPreservation(given, now);
        fc.pre(first.action === 'preserve' && first.until > now);
        if (first.action !== 'preserve') return;
        const next = planPreservation({ ...given, expiresAt: first.until }, now);
        expect(next).toEqual({ ...first, isNew: false });
        const end = planPreservation({ ...given, expiresAt: first.until }, first.until);
        expect(end).toMatchObject(expired);
      }),
    );
  });

  test('what was stopped stays so', () => {
    fc.assert(
      fc.property(anyFacts, ({ expiresAt: _over, ...given }) => {
        const plan = planPreservation({ ...given, expiresAt: now }, now);
        fc.pre(plan.action === 'stop');
        const forgets = plan.action === 'stop' && plan.forgets;
        const next = planPreservation({ ...given, ...(forgets && { requests: {} }) }, now);
        expect(next.action).toBe('none');
      }),
    );
  });

  test('only a Failed machine is drained, and nobody is preserved without a wish', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const plan = planPreservation(given, now);
        fc.pre(plan.action === 'preserve');
        if (plan.action !== 'preserve') return;
        expect(plan.isToBeDrained).toBe(given.phase === 'Failed');
        expect(Object.values(given.requests)).toContain(plan.value);
      }),
    );
  });
});
