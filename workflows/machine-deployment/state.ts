/** State that a MachineDeployment's workflow carries from one run to the next. */
import type { ObjectState } from '../runtime/object-lifecycle.ts';
import type { RefusedWrites, Requeue } from '../plan/requeues.ts';
import { requeueOf } from '../plan/requeues.ts';
import type { DeploymentRequeues } from '../plan/machine-deployment/rollout/refused-steps.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import { hasOldMachines } from '../plan/machine-deployment/rollout/hold.ts';
import { defined } from '../values/defined.ts';

/** The steps that were done last, see `effectOf`, and how often in a row. */
interface Done {
  effect: string;
  attempts: number;
}

export interface MachineDeploymentState extends ObjectState {
  requeues: DeploymentRequeues;
  /** By their requeue; absent when nothing was left to do since. */
  done: { steps?: Done; sync?: Done };
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
  /** While another rollout is under way: name of the set whose rollout was finished before. */
  lastFinished?: string;
  /** See `standsStill`, milliseconds. Absent: it goes on, or a person paused it. */
  heldSince?: number;
  /** The last report, so that it is not repeated at every read. */
  reported?: string;
  /** The override of policies of which there is an Event; absent when none is in force. */
  overridden?: string;
  /** The text that is shown, and since when, milliseconds. */
  shown?: { text: string; since: number };
  /** Why the last command could not be done. */
  commandError?: string;
}

export function newState(): MachineDeploymentState {
  return { isGone: false, hasRolled: false, requeues: {}, done: {} };
}

/**
 * The condition `Progressing` says that a rollout is over, but a pause, or a write that is refused,
 * takes its place.
 */
export function noteFinished(
  state: Pick<MachineDeploymentState, 'finished' | 'lastFinished'>,
  facts: DeploymentFacts,
): void {
  const set = facts.sets.find(({ isOfTemplate }) => isOfTemplate);
  if (set && facts.progress.reason === 'NewMachineSetAvailable') {
    state.finished = set.name;
    delete state.lastFinished;
  } else if (set?.name !== state.finished || hasOldMachines(facts)) {
    if (state.finished !== undefined) state.lastFinished = state.finished;
    delete state.finished;
  }
}

export function noteHold(
  state: Pick<MachineDeploymentState, 'heldSince'>,
  isHeld: boolean,
  now: number,
): void {
  if (isHeld) state.heldSince ??= now;
  else delete state.heldSince;
}

/** Steps on sets, as one run hands their failures to the next. */
interface CarriedAttempts {
  failures: number;
  done?: Done;
  retryAt?: number;
  lastError?: string;
}

/** As one run hands it to the next, which may be of the release before. */
export interface CarriedDeployment
  extends Omit<MachineDeploymentState, 'requeues' | 'done'>, CarriedAttempts {
  sync?: CarriedAttempts;
  refused?: RefusedWrites;
  nodesError?: string;
  nodesRetryAt?: number;
  nodeFailures: number;
}

export function fromCarried(carried: CarriedDeployment): MachineDeploymentState {
  const { failures, done, retryAt, lastError, sync, refused, ...others } = carried;
  const { nodesError, nodesRetryAt, nodeFailures, ...state } = others;
  return {
    ...state,
    done: defined({ steps: done, sync: sync?.done }),
    requeues: defined({
      steps: requeueOf(failures, retryAt, lastError),
      sync: requeueOf(sync?.failures, sync?.retryAt, sync?.lastError),
      refused,
      nodes: requeueOf(nodeFailures, nodesRetryAt, nodesError),
    }),
  };
}

export function toCarried(state: MachineDeploymentState): CarriedDeployment {
  const { requeues, done, ...others } = state;
  const nodes = attemptsOf(requeues.nodes);
  const isSyncWanted = requeues.sync !== undefined || done.sync !== undefined;
  return defined({
    ...others,
    ...attemptsOf(requeues.steps, done.steps),
    sync: isSyncWanted ? attemptsOf(requeues.sync, done.sync) : undefined,
    refused: requeues.refused,
    nodesError: nodes.lastError,
    nodesRetryAt: nodes.retryAt,
    nodeFailures: nodes.failures,
  });
}

function attemptsOf(requeue: Requeue | undefined, done?: Done): CarriedAttempts {
  const { failures = 0, retryAt, message } = requeue ?? {};
  return defined({
    failures,
    done,
    retryAt: retryAt || undefined,
    lastError: message || undefined,
  });
}
