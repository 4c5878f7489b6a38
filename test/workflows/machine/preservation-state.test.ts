/**
 * What a workflow takes over of a look: after it there is nothing to look at, until somebody says
 * something else.
 */
import fc from 'fast-check';
import {
  noteApplied,
  noteNothing,
  preservationFactsOf,
} from '../../../workflows/machine/preservation.ts';
import type { PreparedMachine } from '../../../workflows/contracts/machine-activities.ts';
import type { MachineState } from '../../../workflows/machine/state.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';
import type { MachineSnapshot, NodeSnapshot } from '../../../workflows/contracts/snapshots.ts';

const sighting = { cluster: 'c', epoch: 1, resourceVersion: '7' };
const metadata = { uid: 'uid-1', isDeleting: false, hasFinalizer: true };
const prepared: PreparedMachine = {
  ...metadata,
  resourceVersion: '7',
  createdAt: 0,
  className: 'small',
  phase: 'Running',
  createGeneration: 0,
  usesTarget: true,
  limits: { creationTimeoutSeconds: 1, drainTimeoutSeconds: 1, resourceExhaustedRetrySeconds: 1 },
};

const word = fc.constantFrom('now', 'false', 'nwo');
const someNotes = fc.record(
  { preserve: word, lastApplied: word, expiry: word },
  { requiredKeys: [] },
);
const anyNotes = fc.option(someNotes, { nil: undefined });
const anyNode = fc.option(
  fc.record(
    { uid: fc.constantFrom('u', 'v'), exists: fc.boolean(), preserve: word },
    { requiredKeys: ['uid', 'exists'] },
  ),
  { nil: undefined },
);
const anyOutcome = fc.record(
  {
    notes: someNotes,
    node: fc.record({ uid: fc.constantFrom('u', 'v'), preserve: fc.constantFrom('', 'now') }),
    preservation: fc.constant({ value: 'now' as const, until: 1, isToBeDrained: true }),
  },
  { requiredKeys: [] },
);

function snapshotOf(preservation: MachineSnapshot['preservation']): MachineSnapshot {
  const rest = { specDigest: '', forceDeletion: false, ...(preservation && { preservation }) };
  return { ...sighting, ...metadata, ...rest };
}

function nodeOf(part: Pick<NodeSnapshot, 'uid' | 'exists' | 'preserve'>): NodeSnapshot {
  const rest = { isReady: true, isDeleting: false, conditionsDigest: '' };
  return { ...sighting, name: 'pool-a', providerID: 'local:///i', ...rest, ...part };
}

interface Told {
  notes: MachineSnapshot['preservation'];
  node: Pick<NodeSnapshot, 'uid' | 'exists' | 'preserve'> | undefined;
}

function stateOf({ notes, node }: Told): MachineState {
  const object = { isGone: false, isStale: false, prepared, observed: snapshotOf(notes) };
  return { ...newMachineState(0), object, node: node ? { seen: nodeOf(node) } : {} };
}

const anyTold = fc.record({ notes: anyNotes, node: anyNode });

const mustCheck = (state: MachineState): boolean =>
  preservationFactsOf(state, state.node.seen)?.mustCheck ?? false;

const before = ({ object: { observed }, node }: MachineState) => ({
  ...(observed && { observed }),
  node: node.seen,
});

test('a preservation that was applied needs no second check', () => {
  fc.assert(
    fc.property(anyTold, anyOutcome, (told, outcome) => {
      const state = stateOf(told);
      noteApplied(state, before(state), outcome);
      expect(mustCheck(state)).toBe(false);
    }),
  );
});

test('a preservation needs no second check when its object is gone', () => {
  fc.assert(
    fc.property(anyTold, (told) => {
      const state = stateOf(told);
      noteNothing(state, before(state));
      expect(mustCheck(state)).toBe(false);
    }),
  );
});

test('annotations that change during a check of the preservation are checked again if they differ from what it leaves', () => {
  fc.assert(
    fc.property(anyTold, someNotes, anyOutcome, (told, news, outcome) => {
      const state = stateOf(told);
      const begun = before(state);
      state.object.observed = snapshotOf(news);
      noteApplied(state, begun, outcome);
      const isOther = JSON.stringify(news) !== JSON.stringify(outcome.notes);
      expect(state.object.observed?.preservation).toEqual(news);
      expect(mustCheck(state)).toBe(isOther);
    }),
  );
});

test('a machine without preservation annotations has no preservation facts', () => {
  const state = stateOf({ notes: undefined, node: { uid: 'u', exists: true } });
  expect(preservationFactsOf(state, state.node.seen)).toBeUndefined();
  noteApplied(state, before(state), {});
  expect(state).not.toHaveProperty('preservation');
});
