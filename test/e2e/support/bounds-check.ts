/** What must hold in every state of a recording, and how a state that breaks it is told. */
import type { Counts, Moment, SetState, State } from './states.ts';

export interface Bounds {
  /** Machines in all, Terminating ones included: `replicas + maxSurge` during a rollout. */
  maxTotal?: number;
  /** Machines that are not being deleted: `replicas` of a set, whatever is killed when. */
  maxActive?: number;
  minActive?: number;
  /** Running machines that are not being deleted: `replicas - maxUnavailable`. */
  minAvailable?: number;
  /**
   * Added to `maxTotal`: replacements of Failed machines may start while these terminate. Default
   * 0.
   */
  toleratedExtra?: number;
  /** First state that counts, of `mark` or `markWhen`; default the first of all. */
  from?: Moment;
  /** First state that counts no more; default: all count to the end. */
  until?: Moment;
  /** Only the machines of this set; default all of the namespace. */
  set?: string;
}

interface Rule {
  words: string;
  isBroken: (counts: Counts) => boolean;
}

/**
 * Throws with the first state that is out of bounds and the one before it. Returns how many states
 * were looked at.
 */
export function checkBounds(states: readonly State[], bounds: Bounds): number {
  const { from = 0, until = states.length, set } = bounds;
  const rules = rulesOf(bounds);
  const first = states.findIndex(
    (state, index) =>
      index >= from &&
      index < until &&
      rules.some(({ isBroken }) => isBroken(countsIn(state, set))),
  );
  const looked = Math.max(until - from, 0);
  const offender = states[first];
  if (offender === undefined) return looked;
  const broken = rules.filter(({ isBroken }) => isBroken(countsIn(offender, set)));
  throw new Error(
    [
      `${set === undefined ? 'The machines' : `The machines of ${set}`} were out of bounds: ${broken.map(({ words }) => words).join('; ')}.`,
      `State ${first} of ${states.length} (states ${from} to ${until - 1} count).`,
      `before: ${textOf(states[first - 1])}`,
      `then:   ${textOf(offender)}`,
      `after:  ${textOf(states[first + 1])}`,
    ].join('\n'),
  );
}

function rulesOf(bounds: Bounds): Rule[] {
  const { maxTotal, maxActive, minActive, minAvailable, toleratedExtra = 0 } = bounds;
  return [
    ...atMost('total', maxTotal === undefined ? undefined : maxTotal + toleratedExtra),
    ...atMost('active', maxActive),
    ...atLeast('active', minActive),
    ...atLeast('available', minAvailable),
  ];
}

function atMost(count: keyof Counts, limit: number | undefined): Rule[] {
  if (limit === undefined) return [];
  return [
    { words: `${count} must be at most ${limit}`, isBroken: (counts) => counts[count] > limit },
  ];
}

function atLeast(count: keyof Counts, limit: number | undefined): Rule[] {
  if (limit === undefined) return [];
  return [
    { words: `${count} must be at least ${limit}`, isBroken: (counts) => counts[count] < limit },
  ];
}

function countsIn(state: State, set: string | undefined): Counts {
  return set === undefined ? state : (state.sets[set] ?? { total: 0, active: 0, available: 0 });
}

function textOf(state: State | undefined): string {
  if (state === undefined) return '(nothing was recorded)';
  const { at, cause, sets } = state;
  const ofSets = Object.entries(sets).map(([name, set]) => `  ${name}: ${setWords(set)}`);
  return [`${at.toISOString()} ${cause}: ${words(state)}`, ...ofSets].join('\n        ');
}

const words = ({ total, active, available }: Counts): string =>
  `total ${total}, active ${active}, available ${available}`;

function setWords(set: SetState): string {
  const { wanted = '?', revision = '?' } = set;
  return `revision ${revision}, wants ${wanted}, ${words(set)}`;
}
