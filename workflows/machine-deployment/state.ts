/** State that a MachineDeployment's workflow carries from one run to the next. */
import type { ObjectState } from '../runtime/object-lifecycle.ts';
import type { RefusedMachines } from '../plan/machine-set/refused-machines.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import { hasOldMachines } from '../plan/machine-deployment/rollout/hold.ts';

/** Steps on sets that were refused, or did not last. */
export interface Attempts {
  failures: number;
  /** The steps that were done last, see `effectOf`; absent when nothing was left to do since. */
  done?: { effect: string; attempts: number };
  retryAt?: number;
  /**
   * Why they were refused: it stands in the condition `Progressing` until a step goes well or none
   * is wanted.
   */
  lastError?: string;
}

export interface MachineDeploymentState extends ObjectState, Attempts {
  facts?: DeploymentFacts;
  /**
   * Nodes that are kept from the cluster autoscaler; absent when an earlier life may have left some
   * so.
   */
  protectedNodes?: string[];
  /**
   * This run saw a rollout: its end is the end of the run, so that each reads well in the Temporal
   * UI.
   */
  hasRolled: boolean;
  /** Name of the set whose rollout is over, as long as no other begins. */
  finished?: string;
  /** The last report, so that it is not repeated at every read. */
  reported?: string;
  /** The text that is shown, and since when, milliseconds. */
  shown?: { text: string; since: number };
  /** Attempts of the step `syncSet` alone; absent while none is wanted. */
  sync?: Attempts;
  /**
   * Objects whose writes were refused, such as `MachineSet/pool-1`: left alone until it is time to
   * try again.
   */
  refused?: RefusedMachines;
  /** Nodes could not be written: why, and not again before then, milliseconds. */
  nodesError?: string;
  nodesRetryAt?: number;
  nodeFailures: number;
  /** Why the last command could not be done. */
  commandError?: string;
}

export function newState(): MachineDeploymentState {
  return { isGone: false, hasRolled: false, failures: 0, nodeFailures: 0 };
}

/**
 * The condition `Progressing` says that a rollout is over, but a pause, or a write that is refused,
 * takes its place.
 */
export function noteFinished(
  state: Pick<MachineDeploymentState, 'finished'>,
  facts: DeploymentFacts,
): void {
  const set = facts.sets.find(({ isOfTemplate }) => isOfTemplate);
  if (set && facts.progress.reason === 'NewMachineSetAvailable') state.finished = set.name;
  else if (set?.name !== state.finished || hasOldMachines(facts)) delete state.finished;
}

/** Errors that have not gone away since, for people; undefined when there are none. */
export function errorsIn(state: MachineDeploymentState): string | undefined {
  const { lastError, sync, refused, nodesError, commandError } = state;
  const errors = [lastError, sync?.lastError, refused?.message, nodesError, commandError];
  return errors.filter((text) => text !== undefined).join('; ') || undefined;
}

/** Milliseconds. */
export function retryTimesOf(state: MachineDeploymentState): (number | undefined)[] {
  const { retryAt, sync, refused, nodesRetryAt } = state;
  return [retryAt, sync?.retryAt, refused?.retryAt, nodesRetryAt];
}
