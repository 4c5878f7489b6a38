/** Deletes Machines of a set, after another read of what they are and of what the set wants. */
import type { DeleteBatchOutcome } from '../../workflows/contracts/machine-set-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { annotations } from '../../workflows/api/constants.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { DesiredMachines } from '../../workflows/plan/machine-set/plan.ts';
import { deletePolicyOf, type MachineFact } from '../../workflows/plan/machine-set/scale-down.ts';
import type { DeletionFacts } from '../../workflows/plan/machine-set/deletions.ts';
import { deletableMachines } from '../../workflows/plan/machine-set/deletions.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import { isConflict, isNotFound } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { component, listOf, setSubject } from './batch-events.ts';
import { desiredMachinesOf } from './desired.ts';
import { factOf } from './facts.ts';
import { timeOf } from '../../kube/objects/time.ts';
import { listMembers } from './members.ts';
import { parallelCalls } from './parallel-calls.ts';
import { RefusedWrites } from './refused-writes.ts';
import { nowMs } from '../system/system.ts';

export interface DeleteBatch {
  set: ObjectReference;
  names: readonly string[];
  /** metadata.generation that the plan was made for. */
  generation: number;
  /** Time of the plan, milliseconds. */
  now: number;
}

interface DeletionDependencies extends Pick<ActivityDependencies, 'control' | 'machines'> {
  /** The API server's answer: a Machine that waits for its finalizer by now. */
  deleted?: (machine: Machine) => void;
}

/**
 * A batch may have waited for hours: for the end of a stop, for a watcher, for the API server. So
 * each attempt decides again from what it reads, and deletes of the batch what would be chosen now.
 * A spec that changed is for the workflow to plan for.
 */
export async function deleteMachines(
  place: DeletionDependencies,
  batch: DeleteBatch,
): Promise<DeleteBatchOutcome> {
  const { control } = place;
  const { set: life } = batch;
  const path = customResource('machinesets', life.namespace, life.name);
  const set = await ignoreNotFound(control.get<MachineSet>(path));
  const machines = set ? await stillToDelete(place, set, batch) : [];
  const refused = new RefusedWrites('FailedDelete');
  const deleted: string[] = [];
  await inParallel(machines, parallelCalls, async (machine) => {
    const isDone = await refused.attempt(machine, () => deleteOne(place, life, machine));
    if (isDone) deleted.push(machine.name);
  });
  refused.report(control, life, 'deleting');
  if (deleted.length > 0) {
    recordEvent(control, setSubject(life), {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted ${listOf(deleted)}`,
      component,
    });
  }
  return defined({ deleted: deleted.length, refused: refused.outcome });
}

async function stillToDelete(
  { machines }: DeletionDependencies,
  set: MachineSet,
  { set: life, names, generation, now }: DeleteBatch,
): Promise<MachineFact[]> {
  const desired = desiredMachinesOf(set);
  const isAsPlanned = set.metadata.uid === life.uid && desired.generation === generation;
  // A fault in an annotation has no generation of its own.
  const isFaulty = desired.faults.length > 0;
  if (!isAsPlanned || desired.isOrphaning || (isFaulty && !desired.isDeleting)) return [];
  const { members } = await listMembers(machines, { set, isFaulty });
  // The workflow's clock may be ahead: what it took for expired stays so.
  const facts = deletionFactsOf(set, { desired, members }, Math.max(now, nowMs()));
  const planned = new Set(names);
  return deletableMachines(facts).machines.filter(({ name }) => planned.has(name));
}

/** False when another object has the name by now. */
async function deleteOne(
  { control, deleted }: DeletionDependencies,
  { namespace }: ObjectReference,
  { name, uid }: MachineFact,
): Promise<boolean> {
  try {
    const path = customResource('machines', namespace, name);
    const answer = await control.delete(path, { preconditions: { uid } });
    // The answer may be a Status where a machine went at once, for want of a finalizer.
    if (isGoing(answer)) deleted?.(answer);
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isConflict(error)) return false;
    throw error;
  }
}

function isGoing(answer: Partial<KubeObject>): answer is Machine {
  return answer.kind === 'Machine' && answer.metadata?.deletionTimestamp !== undefined;
}

export interface Members {
  desired: DesiredMachines;
  members: readonly Machine[];
}

export function deletionFactsOf(
  { metadata }: MachineSet,
  { desired, members }: Members,
  now: number,
): DeletionFacts {
  const notes = metadata.annotations ?? {};
  return defined({
    isDeleting: desired.isDeleting,
    replicas: desired.replicas,
    machines: members.map(factOf),
    scaledAt: timeOf(notes[annotations.lastScaledByAutoscaler]),
    replacements: replacementsOf(metadata),
    policy: deletePolicyOf(notes[annotations.deletePolicy]),
    now,
  });
}

/**
 * Only a MachineDeployment grants replacements one by one: without one, what an earlier one wrote
 * holds no longer.
 */
function replacementsOf({
  annotations: notes = {},
  ownerReferences = [],
}: MachineSet['metadata']): ReadonlySet<string> | undefined {
  const granted = notes[annotations.replacements];
  const isOwned = ownerReferences.some(({ kind }) => kind === 'MachineDeployment');
  if (granted === undefined || !isOwned) return undefined;
  return new Set(granted.split(',').map((name) => name.trim()));
}
