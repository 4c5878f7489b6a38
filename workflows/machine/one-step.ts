/**
 * Whether one step may do what takes several where anything has to be found out before: the launch
 * of a new machine, and the deletion of one that runs (docs/decisions/0063-one-step-each-way.md).
 */
import { patched } from '@temporalio/workflow';
import type { Launch } from '../contracts/references.ts';
import { followsFailedRun } from '../runtime/continue-as-new.ts';
import { drainOptionsOf } from './deadlines.ts';
import { joinedUidOf } from './node.ts';
import type { MachineObjectState, MachineState } from './state.ts';

/** One for both: a run that was launched so notes nothing more when it ends. */
const isPatched = (): boolean => patched('one-step-each-way');

/**
 * Nothing is known of the Machine but that it is there, that no controller has acted on it, and
 * that its class was seen. `launch`: from the watcher that began this run.
 */
export function mayLaunch(
  { object, creation, requeues }: MachineState,
  launch: Launch | undefined,
): boolean {
  const { observed, prepared, isGone, wasLaunched = prepared !== undefined } = object;
  const wasTried = wasLaunched || creation.stage !== 'none';
  if (!launch || wasTried || isGone || requeues.read || followsFailedRun()) return false;
  const isPlain = observed && !observed.isDeleting && !observed.preservation;
  return isPlain === true && Date.now() < launch.deadline && isPatched();
}

/** Nothing has changed since it was read, and nothing holds its deletion or asks for another. */
export function mayDrainAtOnce(state: MachineState): boolean {
  const isPlain = isBeingDeletedAsRead(state.object) && isOursToDelete(state) && isIdle(state);
  return isPlain && !drainOptionsOf(state).isSkipped && isPatched();
}

function isBeingDeletedAsRead({ observed, isStale, mayBeRestored }: MachineObjectState): boolean {
  const { hasFinalizer, deletionRequestedAt, hooks } = observed ?? {};
  const isGoing = hasFinalizer === true && deletionRequestedAt !== undefined;
  return isGoing && !hooks && !isStale && mayBeRestored !== true;
}

/** Its instance is of a driver of ours, and its Node has joined. */
function isOursToDelete(state: MachineState): boolean {
  const { phase, object, creation, node } = state;
  const { provider, hasExternalDriver = false, usesTarget = false } = object.prepared ?? {};
  const isKnown = creation.stage === 'recorded' && !creation.isUnproven && phase === 'Running';
  const hasNode = usesTarget && !node.isContested && joinedUidOf(state) !== undefined;
  return isKnown && hasNode && provider !== undefined && !hasExternalDriver;
}

function isIdle(state: MachineState): boolean {
  const { teardown, hooks, failure, missing, preservation, inPlace, requeues } = state;
  const isBusy = teardown ?? hooks ?? failure ?? missing ?? preservation ?? inPlace;
  return (isBusy ?? requeues.read) === undefined;
}
