/** Batches of creates: every name is fixed before, and a retry resolves each of them once. */
import type { CreateBatchOutcome } from '../../workflows/contracts/machine-set-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { clip } from '../../workflows/values/clip.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { PlannedFor } from '../../workflows/plan/machine-set/plan.ts';
import { batchLimit } from '../../workflows/plan/machine-set/plan.ts';
import { isPresent } from '../../workflows/plan/machine-set/deletions.ts';
import type { ActivityDependencies, MachineLists } from '../runtime/dependencies.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isAlreadyExists, isRejected, isTooManyRequests } from '../../kube/client/errors.ts';
import type { EventSubject, EventText } from '../../kube/objects/event.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { customResource } from '../../kube/client/paths.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { component, listOf, setSubject } from './batch-events.ts';
import { desiredMachinesOf } from './desired.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { factOf } from './facts.ts';
import { listMembers } from './members.ts';
import { machineOf, templateRefusal } from './new-machine.ts';
import { undoUnlessOwn } from './ownership.ts';
import { parallelCalls } from './parallel-calls.ts';

/** It stands in a condition and in the state of a workflow. */
const longestErrorBytes = 1_000;

/**
 * Names that are done, kept in the heartbeat: a retry must not create again what a user deleted
 * meanwhile.
 */
export interface BatchProgress {
  done: readonly string[];
  report(done: readonly string[]): void;
  /** Called with each Machine, as the API server answered. */
  made(machine: Machine): void;
  /**
   * Another attempt does this by now: one that was taken for dead must not go on beside its
   * successor.
   */
  isSuperseded(): boolean;
}

export interface Batch {
  set: ObjectReference;
  names: string[];
  basis: PlannedFor;
}

/**
 * Reads the set and its machines anew before the first create: a set that was scaled down or frozen
 * since the plan gets nothing in excess, nor does one whose run knows less than it made, as after a
 * reset in Temporal. A MachineDeployment relies on this and on the workflow, which runs one
 * step at a time: by the time the set's status says that a spec was seen, no batch of an earlier
 * one is left that could still add machines.
 */
export async function createMachines(
  { control, machines }: Pick<ActivityDependencies, 'control' | 'machines'>,
  { set: life, names, basis }: Batch,
  progress: BatchProgress,
): Promise<CreateBatchOutcome> {
  const created = new Set(progress.done);
  const set = await ignoreNotFound(
    control.get<MachineSet>(customResource('machinesets', life.namespace, life.name)),
  );
  const isGone = !set || set.metadata.uid !== life.uid || set.metadata.deletionTimestamp;
  if (isGone) return { created: [...created], taken: [] };
  const limit = await limitOf(machines, set, { names, basis });
  const open = names.filter((name) => !created.has(name));
  const batch = open.slice(0, Math.max(limit - created.size, 0));
  const refusal = batch.length === 0 ? undefined : templateRefusal(set);
  const errors = refusal === undefined ? [] : [refusal];
  const [taken, present]: [string[], string[]] = [[], []];
  await inParallel(batch, parallelCalls, async (name) => {
    // A batch stops at its first refusal: the next ones would be refused for the same reason.
    if (errors.length > 0 || progress.isSuperseded()) return;
    const outcome = await createOne(control, set, name);
    if (outcome === 'taken') taken.push(name);
    else if (outcome === 'present') present.push(name);
    else if ('error' in outcome) errors.push(outcome.error);
    else {
      progress.report([...created.add(name)]);
      progress.made(outcome.made);
    }
  });
  const [error] = errors;
  await reportCreates(control, setSubject(life), { created: [...created, ...present], error });
  const withheld = open.length - batch.length;
  return {
    created: [...created],
    taken,
    ...(present.length > 0 && { present }),
    ...(error !== undefined && { error }),
    ...(withheld > 0 && { withheld }),
  };
}

/** How many of the batch there may be in all. */
async function limitOf(
  machines: MachineLists,
  set: MachineSet,
  { names, basis }: Pick<Batch, 'names' | 'basis'>,
): Promise<number> {
  const desired = desiredMachinesOf(set);
  if (desired.frozenBy !== undefined || desired.faults.length > 0) return 0;
  const { members } = await listMembers(machines, { set, isFaulty: false });
  const batch = new Set(names);
  const others = members.map(factOf).filter((one) => isPresent(one) && !batch.has(one.name));
  const planned = batchLimit({ count: names.length, basis }, desired);
  return Math.min(planned, desired.replicas - others.length);
}

async function createOne(
  control: KubeClient,
  set: MachineSet,
  name: string,
): Promise<{ made: Machine } | { error: string } | 'present' | 'taken'> {
  const { namespace = '' } = set.metadata;
  try {
    const path = customResource('machines', namespace);
    const made = await control.create<Machine>(path, machineOf(set, name));
    const error = await undoUnlessOwn(control, set, { path, child: made });
    return error === undefined ? { made } : { error: clip(error, longestErrorBytes) };
  } catch (error) {
    if (isAlreadyExists(error)) return await ownershipOf(control, set, name);
    // With 429 the API server made nothing either: the set reports it, and tries again later.
    const isRefused = isRejected(error) || isTooManyRequests(error);
    if (isRefused) return { error: clip(error.message, longestErrorBytes) };
    throw error;
  }
}

/**
 * A create whose answer was lost made a machine of ours, or one before Temporal was restored from a
 * backup: a run draws the same names again. Another's machine only has the name.
 */
async function ownershipOf(
  control: KubeClient,
  set: MachineSet,
  name: string,
): Promise<'present' | 'taken'> {
  const path = customResource('machines', set.metadata.namespace ?? '', name);
  const machine = await ignoreNotFound(control.get<Machine>(path));
  return machine && controllerOf(machine)?.uid === set.metadata.uid ? 'present' : 'taken';
}

async function reportCreates(
  control: KubeClient,
  subject: EventSubject,
  { created, error }: { created: string[]; error: string | undefined },
): Promise<void> {
  const texts: EventText[] = [];
  if (created.length > 0) {
    const message = `Created ${listOf(created)}`;
    texts.push({ type: 'Normal', reason: 'SuccessfulCreate', message, component });
  }
  if (error !== undefined) {
    const message = `Error creating: ${error}`;
    texts.push({ type: 'Warning', reason: 'FailedCreate', message, component });
  }
  for (const text of texts) recordEvent(control, subject, text);
}
