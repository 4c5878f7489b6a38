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
import { defined } from '../../workflows/values/defined.ts';
import { controllerOf } from '../kube/objects/owners.ts';
import { timestamp } from '../kube/objects/time.ts';

/**
 * Those of a Node, or those that a Machine copied: empty until the Node was seen. A Node that has a
 * condition with one of our names does not say it of its Machine.
 */
export function nodeConditionsOf({
  status,
}: {
  status?: { conditions?: NodeCondition[] };
}): NodeCondition[] {
  return withoutUnsettled(status?.conditions);
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
