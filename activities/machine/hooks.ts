/** Says on a Machine which hooks hold its deletion. */
import { holdConditions, hooksIn, type HeldPart } from '../../workflows/api/deletion-hooks.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { ConditionStatus, NodeCondition } from '../../workflows/api/meta.ts';
import type { MachineActivities } from '../../workflows/contracts/machine-activities.ts';
import { formatHold, holdOf, type Hold } from '../../workflows/plan/machine/hooks.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { timestamp } from '../../kube/objects/time.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import type { StatusChanges } from './conditions.ts';
import { component, isDeleting, machineSubject, patchStatus, readSameMachine } from './object.ts';
import { preparedOf } from './prepared.ts';
import { statusPatch } from './status.ts';

/** Writes when something else holds than the Machine says, and an Event with it. */
export async function checkHooks(
  dependencies: ActivityDependencies,
  { machine, parts }: Parameters<MachineActivities['checkHooks']>[0],
): Promise<Awaited<ReturnType<MachineActivities['checkHooks']>>> {
  const { control } = dependencies;
  const seen = await readSameMachine(control, machine);
  if (!seen) return {};
  let current = seen;
  const patched = await patchStatus(control, seen, (now) => {
    current = now;
    return isDeleting(now) ? changesOf(now, parts) : undefined;
  });
  if (patched) {
    const { description: message = '' } = patched.status?.lastOperation ?? {};
    const isHeld = holdOf(hooksIn(patched.metadata.annotations), parts) !== undefined;
    const reason = isHeld ? 'DeletionSuspended' : 'DeletionResumed';
    recordEvent(control, machineSubject(machine), { type: 'Normal', reason, message, component });
  }
  return { machine: preparedOf(patched ?? current, dependencies) };
}

function changesOf(machine: Machine, parts: readonly HeldPart[]): StatusChanges | undefined {
  const hold = holdOf(hooksIn(machine.metadata.annotations), parts);
  const present = machine.status?.conditions ?? [];
  const drain = conditionOf('drain', present, hold);
  const instance = conditionOf('instance', present, hold);
  if (drain.isSame && instance.isSame) return undefined;
  const next = drain.isSame ? 'Initiate VM deletion' : 'Initiate node drain';
  const description = hold ? formatHold(hold) : `No hook holds it any more. ${next}`;
  const operation = { description, state: 'Processing', type: 'Delete' } as const;
  return {
    ...statusPatch({ operation, errorCode: null }),
    holds: [drain.condition ?? [], instance.condition ?? []].flat(),
  };
}

interface WantedCondition {
  /** Absent: it is not to be there. */
  condition?: NodeCondition;
  /** It is there as wanted. */
  isSame: boolean;
}

function conditionOf(
  part: HeldPart,
  present: readonly NodeCondition[],
  hold: Hold | undefined,
): WantedCondition {
  const type = holdConditions[part];
  const known = present.find((condition) => condition.type === type);
  const isHeld = hold?.part === part;
  if (!isHeld && known?.status !== 'True')
    return { ...(known && { condition: known }), isSame: true };
  if (!isHeld && part === 'instance') return { isSame: false };
  const status: ConditionStatus = isHeld ? 'True' : 'False';
  const reason = isHeld ? 'HookPresent' : 'NoHook';
  const message = isHeld ? formatHold(hold) : 'No hook holds the drain any more';
  if (known?.status === status && known.message === message) {
    return { condition: known, isSame: true };
  }
  const now = timestamp();
  const since = known?.status === status ? known.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? now;
  const condition = { type, status, reason, message, lastTransitionTime, lastHeartbeatTime: now };
  return { condition, isSame: false };
}
