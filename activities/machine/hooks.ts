/** Says on a Machine which hooks hold its deletion. */
import {
  holdConditions,
  hooksIn,
  isHoldCondition,
  type HeldPart,
} from '../../workflows/api/deletion-hooks.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
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
  const holds = [drainCondition(present, hold), instanceCondition(present, hold)].flatMap(
    (condition) => condition ?? [],
  );
  if (JSON.stringify(holds) === JSON.stringify(present.filter(isHoldCondition))) return undefined;
  const next = parts.includes('instance') ? 'Initiate VM deletion' : 'Initiate node drain';
  const description = hold ? formatHold(hold) : `No hook holds it any more. ${next}`;
  const operation = { description, state: 'Processing', type: 'Delete' } as const;
  return { ...statusPatch({ operation, errorCode: null }), holds };
}

type Present = readonly NodeCondition[];

/** It stays when it is over: it says from when on the drain has its time. */
function drainCondition(present: Present, hold: Hold | undefined): NodeCondition | undefined {
  const type = holdConditions.drain;
  if (hold?.part === 'drain') return heldCondition(type, present, hold);
  if (!present.some((condition) => condition.type === type)) return undefined;
  const message = 'No hook holds the drain any more';
  return timed({ type, status: 'False', reason: 'NoHook', message }, present);
}

function instanceCondition(present: Present, hold: Hold | undefined): NodeCondition | undefined {
  return hold?.part === 'instance'
    ? heldCondition(holdConditions.instance, present, hold)
    : undefined;
}

function heldCondition(type: string, present: Present, hold: Hold): NodeCondition {
  return timed({ type, status: 'True', reason: 'HookPresent', message: formatHold(hold) }, present);
}

/** As it stands there, where it says the same. */
function timed(wanted: NodeCondition, present: Present): NodeCondition {
  const known = present.find(
    ({ type, status }) => type === wanted.type && status === wanted.status,
  );
  if (known && known.message === wanted.message) return known;
  const now = timestamp();
  const lastTransitionTime = known?.lastTransitionTime ?? now;
  return { ...wanted, lastTransitionTime, lastHeartbeatTime: now };
}
