/** Facts about a Machine, for plans. */
import { nodeConditionsOf } from '../machine/conditions.ts';
import { timeOf } from '../../kube/objects/time.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { Preserve } from '../../workflows/api/preserve-value.ts';
import { preserveOf } from '../../workflows/api/preserve-value.ts';
import type { MachineFact } from '../../workflows/plan/machine-set/scale-down.ts';

const defaultPriority = 3;

/**
 * A Machine as it was read does not change, and a copy of thousands, or a simulation of a rollout,
 * asks again and again for the same one.
 */
const known = new WeakMap<Machine, MachineFact>();

export function factOf(machine: Machine): MachineFact {
  const fact = known.get(machine) ?? readFact(machine);
  known.set(machine, fact);
  return fact;
}

function readFact({ metadata, status }: Machine): MachineFact {
  const notes = metadata.annotations ?? {};
  const { phase = '', preserveExpiryTime } = status?.currentStatus ?? {};
  return defined({
    name: metadata.name,
    uid: metadata.uid,
    phase,
    isDeleting: metadata.deletionTimestamp !== undefined,
    priority: priorityOf(notes[annotations.priority]),
    markedAt: timeOf(notes[annotations.markedForDeletionTime]),
    chosenAt: chosenAtOf(notes[annotations.deleteMachine]),
    preservedUntil: timeOf(preserveExpiryTime),
    preserve: preserveValueOf(notes),
    wasPreserved: annotations.preservationExpired in notes ? true : undefined,
    isUpdatedInPlace: metadata.labels?.[labels.updateResult] === 'successful',
    unjoinedSince: unjoinedSince(status),
    createdAt: Date.parse(metadata.creationTimestamp),
  });
}

function unjoinedSince(status: Machine['status'] = {}): number | undefined {
  const { currentStatus: { phase, lastUpdateTime } = {}, lastOperation } = status;
  if (phase !== 'Failed' || lastOperation?.type !== 'Create') return undefined;
  return nodeConditionsOf({ status }).length === 0 ? (timeOf(lastUpdateTime) ?? 0) : undefined;
}

/**
 * The cluster autoscaler of the Kubernetes project writes `time.Now().String()` of Go: 2026-01-02
 * 15:04:05.123456789 +0000 UTC m=+12.3. Text that a person writes there is no time: then 0.
 */
function chosenAtOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const pattern = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,9})? ([+-]\d\d)(\d\d) /;
  const [, date, time, fraction = '', hours, minutes] = pattern.exec(`${text} `) ?? [];
  const iso = date === undefined ? text : `${date}T${time}${fraction}${hours}:${minutes}`;
  return timeOf(iso) ?? 0;
}

function priorityOf(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : defaultPriority;
}

/**
 * The Node's value is noted on the Machine; `auto-preserved` there is not from the set, which could
 * not take it back.
 */
function preserveValueOf(notes: Record<string, string>): Preserve | undefined {
  const own = preserveOf(notes[annotations.preserve]);
  if (own !== undefined) return own;
  const ofNode = preserveOf(notes[annotations.lastAppliedPreserve]);
  return ofNode === 'auto-preserved' ? 'when-failed' : ofNode;
}

/**
 * It bears load. `Available` is for a machine without a target cluster what `Running` is for one
 * with a Node.
 */
export function isAvailable({ status }: Machine): boolean {
  const phase = status?.currentStatus?.phase;
  return phase === 'Running' || phase === 'Available';
}
