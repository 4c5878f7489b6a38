/** Where a rollout is, in the words of kubectl. */
import type { DeploymentView } from '../../activities/machine-deployment/facts.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';

export interface Standing {
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
  const { metadata, spec, status } = view.deployment;
  const name = nameOf(view);
  if (metadata.deletionTimestamp !== undefined) return failed(`${name} is being deleted`);
  if ((metadata.generation ?? 0) > (status?.observedGeneration ?? 0)) {
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
const refused = new Set(['InvalidSpec', 'SelectingAll', 'InPlaceUpdateNotSupported']);

function failureOf(view: RolloutView): string | undefined {
  const condition = progressingOf(view);
  if (condition?.status !== 'False') return undefined;
  const { reason = '', message = '' } = condition;
  if (refused.has(reason)) return `${nameOf(view)} cannot be rolled out: ${message}`;
  // What is said of an earlier set does not count.
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
  return { state: 'progressing', words: `Waiting ${words}${hold}` };
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
  return sets.reduce((sum, { status }) => sum + (status?.[count] ?? 0), 0);
}
