/** Batches of creates and deletes: every name is fixed before, and a retry resolves each of them once. */
import type { CreateBatchOutcome, LifeRef } from '../../workflows/activities.ts';
import { annotations, apiVersion, finalizers } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { inParallel } from '../in-parallel.ts';
import type { KubeClient } from '../kube/client.ts';
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from '../kube/errors.ts';
import type { EventSubject, EventText } from '../kube/events.ts';
import { recordEvent } from '../kube/events.ts';
import { customResource } from '../kube/paths.ts';
import { orUndefined } from '../kube/optional.ts';
import { controllerOf, ownerReferenceOf } from './members.ts';

const component = 'machineset-controller';
/** Calls of one batch that run at once. */
const parallelCalls = 16;

/** Names that are done, kept in the heartbeat: a retry must not create again what a user deleted meanwhile. */
export interface Progress {
  done: readonly string[];
  report(done: readonly string[]): void;
}

export async function createMachines(
  control: KubeClient,
  { set: life, names }: { set: LifeRef; names: string[] },
  progress: Progress,
): Promise<CreateBatchOutcome> {
  const set = await orUndefined(
    control.get<MachineSet>(customResource('machinesets', life.namespace, life.name)),
  );
  const isGone = !set || set.metadata.uid !== life.uid || set.metadata.deletionTimestamp;
  if (isGone) return { created: [], taken: [] };
  const created = [...progress.done];
  const taken: string[] = [];
  const errors: string[] = [];
  await inParallel(
    names.filter((name) => !created.includes(name)),
    parallelCalls,
    async (name) => {
      // A batch stops at its first refusal: the next ones would be refused for the same reason.
      if (errors.length > 0) return;
      const outcome = await createOne(control, set, name);
      if (outcome === 'created') {
        created.push(name);
        progress.report(created);
      } else if (outcome === 'taken') taken.push(name);
      else errors.push(outcome.error);
    },
  );
  await reportCreates(control, setSubject(life), { created, error: errors[0] });
  return { created, taken, ...(errors[0] !== undefined && { error: errors[0] }) };
}

async function createOne(
  control: KubeClient,
  set: MachineSet,
  name: string,
): Promise<'created' | 'taken' | { error: string }> {
  const { namespace = '' } = set.metadata;
  try {
    await control.create(customResource('machines', namespace), machineOf(set, name));
    return 'created';
  } catch (error) {
    if (isAlreadyExists(error)) return await ownershipOf(control, set, name);
    if (isInvalid(error) || isForbidden(error)) return { error: error.message };
    throw error;
  }
}

/** A create whose answer was lost made a machine of ours; another's machine only has the name. */
async function ownershipOf(
  control: KubeClient,
  set: MachineSet,
  name: string,
): Promise<'created' | 'taken'> {
  const path = customResource('machines', set.metadata.namespace ?? '', name);
  const machine = await orUndefined(control.get<Machine>(path));
  return machine && controllerOf(machine)?.uid === set.metadata.uid ? 'created' : 'taken';
}

/** With finalizer and priority from the first moment on: two writes fewer than setting them later. */
function machineOf(set: MachineSet, name: string): object {
  const { metadata, spec } = set.spec.template ?? {};
  const creationTimeout = set.metadata.annotations?.[annotations.effectiveCreationTimeout];
  return {
    apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace: set.metadata.namespace,
      generateName: `${set.metadata.name}-`,
      labels: metadata?.labels ?? {},
      annotations: {
        [annotations.priority]: '3',
        ...metadata?.annotations,
        ...(creationTimeout !== undefined && {
          [annotations.effectiveCreationTimeout]: creationTimeout,
        }),
      },
      finalizers: [finalizers.machine],
      ownerReferences: [ownerReferenceOf(set)],
    },
    spec: spec ?? {},
  };
}

export async function deleteMachines(
  control: KubeClient,
  { set, names }: { set: LifeRef; names: string[] },
): Promise<void> {
  await inParallel(names, parallelCalls, (name) => deleteOne(control, set, name));
  await recordEvent(control, setSubject(set), {
    type: 'Normal',
    reason: 'SuccessfulDelete',
    message: `Deleted ${listOf(names)}`,
    component,
  });
}

async function deleteOne(control: KubeClient, set: LifeRef, name: string): Promise<void> {
  try {
    await control.delete(customResource('machines', set.namespace, name));
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** One Event a batch, where MCM writes one a machine. */
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
  for (const text of texts) await recordEvent(control, subject, text);
}

/** MCM's words for one machine. */
function listOf(names: string[]): string {
  return names.length === 1
    ? `Machine: ${names[0]}`
    : `${names.length} Machines: ${names.join(', ')}`;
}

function setSubject({ namespace, name, uid }: LifeRef): EventSubject {
  return { apiVersion, kind: 'MachineSet', namespace, name, uid };
}
