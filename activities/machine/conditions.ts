/** The conditions of a Machine: copies of those of its Node, and what kstatus goes by. */
import {
  isUnsettledCondition,
  unsettledConditions,
  withoutUnsettled,
} from '../../workflows/api/kstatus.ts';
import type { Unsettled } from '../../workflows/api/kstatus.ts';
import type { LastOperation, Machine, MachineStatus } from '../../workflows/api/machine.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import { unsettledMachine } from '../../workflows/plan/machine/unsettled.ts';
import { clip } from '../../workflows/values/clip.ts';
import { defined } from '../../workflows/values/defined.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { timestamp } from '../../kube/objects/time.ts';

/** A Node has 5 of its kubelet, and some of agents on it, each with a line of text. */
const mostConditions = 64;
const longestTextBytes = 1_024;
/** Length of a qualified name. */
const longestType = 317;

/**
 * Those of a Node, or those that a Machine copied: empty until the Node was seen. A Node that has a
 * condition with one of our names does not say it of its Machine. A kubelet may say more than fits
 * into a Machine: the rest is left out, whatever it is, but not whether the Node is Ready.
 */
export function nodeConditionsOf({
  status,
}: {
  status?: { conditions?: NodeCondition[] };
}): NodeCondition[] {
  const said = withoutUnsettled(status?.conditions).filter(
    ({ type }) => type.length <= longestType,
  );
  if (said.length <= mostConditions) return said.map(clipped);
  const ready = said.filter(({ type }) => type === 'Ready').slice(0, 1);
  const others = said.filter(({ type }) => type !== 'Ready').slice(0, mostConditions - 1);
  return [...ready, ...others].map(clipped);
}

function clipped(condition: NodeCondition): NodeCondition {
  const { reason, message } = condition;
  return {
    ...condition,
    ...(reason !== undefined && { reason: clip(reason, longestTextBytes) }),
    ...(message !== undefined && { message: clip(message, longestTextBytes) }),
  };
}

/** A merge patch of the status, as far as conditions follow from it. */
export interface StatusChanges {
  /** Those of the Node alone. */
  conditions?: NodeCondition[];
  currentStatus?: object;
  lastOperation?: object;
}

/** Completes the patch, so that what kstatus goes by costs no write of its own. */
export function withUnsettled(machine: Machine, changes: StatusChanges): StatusChanges {
  const present = machine.status?.conditions ?? [];
  const before = unsettledIn(present);
  const after = unsettledAfter(machine, changes, before);
  const isSame = wordsOf(before) === wordsOf(after);
  if (changes.conditions === undefined && isSame) return changes;
  const ofNode = withoutUnsettled(changes.conditions ?? present);
  const added = unsettledConditions(after, present, timestamp());
  // MCM's types have both times, and write a time that is missing as null.
  const timed = added.map((one) => ({ ...one, lastHeartbeatTime: one.lastTransitionTime }));
  return { ...changes, conditions: [...ofNode, ...timed] };
}

function unsettledAfter(
  machine: Machine,
  { currentStatus, lastOperation }: StatusChanges,
  before: Unsettled | undefined,
): Unsettled | undefined {
  const { metadata, status = {} } = machine;
  const after: MachineStatus = {
    currentStatus: { ...status.currentStatus, ...currentStatus },
    lastOperation: withoutNulls({ ...status.lastOperation, ...lastOperation }),
  };
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const isOwned = controllerOf(machine)?.kind === 'MachineSet';
  return unsettledMachine(defined({ isDeleting, isOwned, status: after, before }));
}

/** A merge patch removes with null. */
function withoutNulls(operation: LastOperation): LastOperation {
  return Object.fromEntries(Object.entries(operation).filter(([, value]) => value !== null));
}

function wordsOf(unsettled: Unsettled | undefined): string {
  return unsettled ? `${unsettled.type} ${unsettled.reason} ${unsettled.message}` : '';
}

function unsettledIn(conditions: readonly NodeCondition[]): Unsettled | undefined {
  const found = conditions.find(isUnsettledCondition);
  if (!found) return undefined;
  const { type, reason = '', message = '' } = found;
  return { type: type === 'Stalled' ? type : 'Reconciling', reason, message };
}
