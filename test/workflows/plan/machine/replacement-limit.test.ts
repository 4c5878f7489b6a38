import type {
  CountedMachine,
  ReplacementFacts,
} from '../../../../workflows/plan/machine/replacement-limit.ts';
import { planReplacement } from '../../../../workflows/plan/machine/replacement-limit.ts';

const named = (name: string, changes: Partial<CountedMachine> = {}): CountedMachine => ({
  name,
  phase: 'Running',
  isDeleting: false,
  isPreserved: false,
  ...changes,
});
const self = named('a', { phase: 'Unknown' });

function answer(changes: Partial<ReplacementFacts> = {}, others: CountedMachine[] = []) {
  const machines = [self, ...others];
  return planReplacement({ name: 'a', machines, missing: 0, granted: [], limit: 1, ...changes });
}

test.each<{ name: string; others?: CountedMachine[]; facts?: Partial<ReplacementFacts> }>([
  { name: 'beside other Unknown ones', others: [named('b', { phase: 'Unknown' })] },
  {
    name: 'beside one whose update in place failed',
    others: [named('b', { phase: 'InPlaceUpdateFailed' })],
  },
  {
    name: 'beside a preserved Failed one',
    others: [named('b', { phase: 'Failed', isPreserved: true })],
  },
  {
    name: 'when the one that was granted is Running again',
    others: [named('b')],
    facts: { granted: ['b'] },
  },
  { name: 'when it was granted before', facts: { granted: ['a'] } },
])('a machine may fail $name', ({ others, facts }) => {
  expect(answer(facts, others)).toEqual({ mayFail: true, granted: ['a'] });
});

test.each<{ name: string; others?: CountedMachine[]; facts?: Partial<ReplacementFacts> }>([
  { name: 'while one without a phase comes up', others: [named('b', { phase: '' })] },
  { name: 'while one goes', others: [named('b', { isDeleting: true })] },
  { name: 'while one is updated in place', others: [named('b', { phase: 'InPlaceUpdating' })] },
  {
    name: 'while another whose update in place failed was granted',
    others: [named('b', { phase: 'InPlaceUpdateFailed' })],
    facts: { granted: ['b'] },
  },

  {
    name: 'while another was granted and is not Failed yet',
    others: [named('b', { phase: 'Unknown' })],
    facts: { granted: ['b'] },
  },
])('a machine waits $name', ({ others, facts }) => {
  expect(answer(facts, others)).toMatchObject({ mayFail: false });
});

test('a failed machine that waits says what it waits for', () => {
  const others = [named('b', { phase: 'Failed' })];
  expect(answer({ missing: 1 }, others)).toMatchObject({
    reason:
      'past its health timeout, but 2 of at most 1 machine is being replaced already: b, 1 to create',
  });
});

test('a grant keeps those that others hold', () => {
  const others = [named('b', { phase: 'Unknown' })];
  expect(answer({ limit: 2, granted: ['b', 'gone'] }, others)).toEqual({
    mayFail: true,
    granted: ['a', 'b'],
  });
});
