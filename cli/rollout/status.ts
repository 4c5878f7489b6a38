/** `millwright rollout status`: waits until a rollout is over, and says what changes meanwhile. */
import { setTimeout } from 'node:timers/promises';
import { formatDuration } from '../../workflows/api/duration.ts';
import { isUnreachable } from '../../kube/client/errors.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readSetsOf } from '../objects/deployment-view.ts';
import type { RolloutOptions } from './history.ts';
import type { Standing } from './standing.ts';
import { standingOf } from './standing.ts';

export interface StatusOptions extends RolloutOptions {
  /** Wait until the rollout is over. */
  watch: boolean;
  /** Seconds; 0: no limit. */
  timeout: number;
}

const periodMs = 1_000;
/** Then what made it stall is not what was just repaired. */
const stalledReads = 5;

interface StatusReport extends Omit<Standing, 'isByCondition'> {
  namespace: string;
  name: string;
  isTimedOut: boolean;
}

export async function status(
  scope: ClusterScope,
  options: StatusOptions,
): Promise<Answer<StatusReport>> {
  const { watch, timeout, name } = options;
  const deadline = timeout === 0 ? Infinity : performance.now() + timeout * 1_000;
  // For programs, what is printed at the end is all that stands there.
  const say = options.output === undefined ? console.log : console.error;
  const report = { namespace: scope.namespace, name };
  let stalled = 0;
  for (let said = ''; ;) {
    const seen = await standing(scope, name, { isFirst: said === '' });
    const { state, words } = seen;
    const data = { ...report, state, words, isTimedOut: false };
    stalled = seen.isByCondition ? stalled + 1 : 0;
    if (!watch) return { text: words, data };
    const isOver = state !== 'progressing' && (!seen.isByCondition || stalled >= stalledReads);
    if (isOver) return { text: words, data, exitCode: exitCodes[state] };
    if (performance.now() >= deadline) {
      const text = `error: timed out after ${formatDuration(timeout)}. ${words}`;
      return { text, data: { ...data, isTimedOut: true }, exitCode: 1 };
    }
    if (words !== said) say(words.replace(/^error: /, ''));
    said = words;
    await setTimeout(periodMs);
  }
}

const exitCodes = { complete: 0, progressing: 0, failed: 1 } as const;

/** An API server that restarts in the middle ends no wait; one that was never reached does. */
async function standing(
  scope: ClusterScope,
  name: string,
  { isFirst }: { isFirst: boolean },
): Promise<Standing> {
  try {
    return standingOf(await readSetsOf(scope, name));
  } catch (error) {
    if (isFirst || !isUnreachable(error)) throw error;
    return { state: 'progressing', words: `Waiting for the API server: ${error.message}` };
  }
}
