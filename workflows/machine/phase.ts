/**
 * A machine's phase, and how the Temporal UI finds it. Search attributes cost an event, so they
 * change with the phase only.
 */
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { needsPerson } from '../api/failures.ts';
import { purposeOf } from '../api/deletion-hooks.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { Hold } from '../plan/machine/hooks.ts';
import { createDeadlineOf, shownDrainDeadlineOf } from './deadlines.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';
import { keys } from '../contracts/search-attributes.ts';
import { dateOf, keyword } from '../runtime/search-attribute-values.ts';
import { deadlineOf as healthDeadlineOf } from '../plan/machine/health.ts';

const waitingPhases = new Set<MachinePhase>([
  'Pending',
  'CrashLoopBackOff',
  'Unknown',
  'InPlaceUpdating',
]);

export function setPhase(state: MachineState, phase: MachinePhase): void {
  if (state.phase === phase) return;
  state.phase = phase;
  state.phaseSince = Date.now();
  const isWaiting = waitingPhases.has(phase);
  const attention = attentionOf(state);
  const deadline = dateOf(isWaiting ? deadlineOf(state) : endOf(state));
  if (phase === 'Pending' && isShownPending(attention, deadline)) return;
  upsertSearchAttributes([
    { key: keys.State, value: phase },
    { key: keys.Attention, value: attention },
    { key: keys.NodeName, value: keyword(instanceOf(state)?.nodeName) },
    { key: keys.WaitingSince, value: isWaiting ? new Date() : null },
    { key: keys.Deadline, value: deadline },
  ]);
}

/**
 * The watcher starts the workflow with what is shown of a Pending machine, because each change
 * costs Temporal as much as half a task. Its Node is named when it is there.
 */
function isShownPending(attention: string, deadline: Date | null): boolean {
  const { typedSearchAttributes: shown } = workflowInfo();
  return (
    shown.get(keys.State) === 'Pending' &&
    shown.get(keys.Attention) === attention &&
    shown.get(keys.Deadline)?.getTime() === deadline?.getTime()
  );
}

/**
 * While something is in the way of a drain the search finds what; the object stays Terminating, as
 * its users know it.
 */
export function showDrain(state: MachineState): void {
  const blockers = state.drain?.blockers ?? [];
  const [blocker] = blockers;
  const isBlocked = blocker !== undefined;
  // A budget that never allows one: a person has to change it, or to add pods.
  const blockedAttention = blockers.some(({ isHopeless }) => isHopeless) ? 'person' : 'external';
  upsertSearchAttributes([
    { key: keys.State, value: isBlocked ? 'DrainBlocked' : state.phase },
    { key: keys.Attention, value: isBlocked ? blockedAttention : attentionOf(state) },
    { key: keys.BlockedBy, value: keyword(blocker?.blockedBy) },
    { key: keys.WaitingSince, value: isBlocked ? dateOf(blocker.since) : null },
    {
      key: keys.Deadline,
      value: isBlocked ? dateOf(shownDrainDeadlineOf(state)) : endOfPreservation(state),
    },
  ]);
}

/** While hooks hold its deletion the search finds for whom it waits; undefined: it goes on. */
export function showHold(state: MachineState, hold: Hold | undefined): void {
  const [hook] = hold?.hooks ?? [];
  const { heldSince } = state.object.prepared ?? {};
  upsertSearchAttributes([
    { key: keys.Attention, value: hook ? 'external' : attentionOf(state) },
    { key: keys.BlockedBy, value: keyword(hook && `Hook/${purposeOf(hook)}`) },
    { key: keys.WaitingSince, value: hook ? dateOf(heldSince) : null },
  ]);
}

/** The search finds machines whose instance the cloud does not know any more. */
export function showMissingInstance({ missing }: MachineState): void {
  const words = missing?.isConfirmed ? `instance ${missing.providerID} is gone` : undefined;
  upsertSearchAttributes([{ key: keys.BlockedBy, value: keyword(words) }]);
}

/** The search finds it in the set to which an update in place has moved it. */
export function showMachineSet(name: string): void {
  const value = keyword(name);
  if (workflowInfo().typedSearchAttributes.get(keys.MachineSet) === value) return;
  upsertSearchAttributes([{ key: keys.MachineSet, value }]);
}

/** Shows until when a machine that waits for nothing else is preserved, for the search. */
export function showPreservation(state: MachineState): void {
  if (waitingPhases.has(state.phase)) return;
  upsertSearchAttributes([{ key: keys.Deadline, value: endOfPreservation(state) }]);
}

function endOfPreservation(state: MachineState): Date | null {
  return dateOf(endOf(state));
}

function endOf({ preservation }: MachineState): number | undefined {
  return preservation?.kept?.until;
}

/** When the machine is Failed if it stays as it is, milliseconds. */
function deadlineOf({ phase, object, health, inPlace }: MachineState): number | undefined {
  if (phase === 'Unknown') return health && healthDeadlineOf(health);
  if (phase === 'InPlaceUpdating') return inPlace?.clock?.deadline;
  return object.prepared && createDeadlineOf(object.prepared);
}

/** The one that has to act: `none`, `external` (a cloud, a PodDisruptionBudget), or a `person`. */
function attentionOf({ phase, failure }: MachineState): 'none' | 'external' | 'person' {
  if (phase === 'Failed' || phase === 'InPlaceUpdateFailed') return 'person';
  if (phase === 'Unknown' || phase === 'InPlaceUpdating') return 'external';
  if (phase !== 'CrashLoopBackOff') return 'none';
  return failure && needsPerson(failure.detail.code) ? 'person' : 'external';
}
