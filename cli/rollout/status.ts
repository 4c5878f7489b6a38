/** `millwright rollout status`: waits until a rollout is over, and says what changes meanwhile. */
import { setTimeout } from 'node:timers/promises';
import { formatDuration } from '../../workflows/api/duration.ts';
import { isUnreachable } from '../../kube/client/errors.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readSetsOf } from '../objects/deployment-view.ts';
import type { RolloutOptions } from './history.ts';
import type { DeploymentView } from '../../activities/machine-deployment/facts.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';

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

interface Standing {
  state: 'complete' | 'progressing' | 'failed';
  words: string;
  /** Failed by a condition that may still be of before the last change: it has to stay. */
  isByCondition?: boolean;
}

type RolloutView = Pick<DeploymentView, 'deployment' | 'sets' | 'newSet'>;

/**
 * By the counts of the sets: after a restart, which changes no generation, the status of the
 * deployment is that of before.
 */
export function standingOf(view: RolloutView): Standing {
  const { metadata, spec, status: reported } = view.deployment;
  const name = nameOf(view);
  if (metadata.deletionTimestamp !== undefined) return failed(`${name} is being deleted`);
  if ((metadata.generation ?? 0) > (reported?.observedGeneration ?? 0)) {
    return waiting(view, `for ${name} spec update to be observed...`);
  }
  // The worker takes it away in the write that changes the template.
  if (spec.rollbackTo) return waiting(view, `for ${name} to be rolled back...`);
  const failure = failureOf(view);
  if (failure !== undefined) return failed(failure);
  const stall = stallOf(view);
  if (stall !== undefined) return { ...failed(stall), isByCondition: true };
  const left = leftToDo(view);
  if (left !== undefined) return waiting(view, `for ${name} rollout to finish: ${left}...`);
  return { state: 'complete', words: `${name} successfully rolled out` };
}

function leftToDo({ deployment, sets, newSet }: RolloutView): string | undefined {
  const wanted = deployment.spec.replicas ?? 0;
  const updated = newSet ? sumOf([newSet], 'replicas') : 0;
  if (!newSet || updated < wanted) {
    return `${updated} out of ${wanted} new replicas have been updated`;
  }
  const old = sumOf(sets, 'replicas') - wanted;
  if (old > 0) return `${old} old replicas are pending termination`;
  const available = sumOf([newSet], 'availableReplicas');
  if (available >= wanted) return undefined;
  return `${available} of ${wanted} updated replicas are available`;
}

/** Reasons of the condition `Progressing` that no worker gets over by itself. */
const refused = new Set(['InvalidSpec', 'SelectingAll']);

function failureOf(view: RolloutView): string | undefined {
  const condition = progressingOf(view);
  if (condition?.status !== 'False') return undefined;
  const { reason = '', message = '' } = condition;
  if (refused.has(reason)) return `${nameOf(view)} cannot be rolled out: ${message}`;
  // A condition of an earlier set does not count.
  const isOfPresent = view.newSet && message.includes(`"${view.newSet.metadata.name}"`);
  if (reason !== 'ProgressDeadlineExceeded' || !isOfPresent) return undefined;
  return `${nameOf(view)} exceeded its progress deadline: ${message}`;
}

/** As kstatus has it, and so Helm and Flux. A deadline is that of a set: see `failureOf`. */
function stallOf(view: RolloutView): string | undefined {
  const stall = view.deployment.status?.conditions?.find(({ type }) => type === 'Stalled');
  if (stall?.status !== 'True' || stall.reason === 'ProgressDeadlineExceeded') return undefined;
  return `${nameOf(view)} gets no further by itself: ${stall.message ?? stall.reason ?? ''}`;
}

function waiting(view: RolloutView, words: string): Standing {
  const condition = progressingOf(view);
  const isHeld = condition?.reason === 'DeploymentPaused';
  const hold = isHeld ? ` It stands still: ${condition.message ?? ''}` : '';
  return { state: 'progressing', words: `Waiting ${words}${hold}${failedUpdateIn(view)}` };
}

/** The first machine whose update in place failed; empty where there is none. */
function failedUpdateIn({ sets }: RolloutView): string {
  const summaries = sets.flatMap(({ status: { failedMachines } = {} }) => failedMachines ?? []);
  const first = summaries.find(({ lastOperation }) => lastOperation?.type === 'InPlaceUpdate');
  if (!first) return '';
  return ` An update in place failed: machine/${first.name ?? ''}: ${first.lastOperation?.description ?? ''}`;
}

function progressingOf({ deployment }: RolloutView) {
  return deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
}

function failed(words: string): Standing {
  return { state: 'failed', words: `error: ${words}` };
}

function nameOf({ deployment }: RolloutView): string {
  return `machinedeployment "${deployment.metadata.name}"`;
}

function sumOf(sets: readonly MachineSet[], count: 'replicas' | 'availableReplicas'): number {
  return sets.reduce((sum, set) => sum + (set.status?.[count] ?? 0), 0);
}
