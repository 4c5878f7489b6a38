/** The Machines of a MachineSet: which are ours, and what a plan needs to know of each. */
import { annotations, apiVersion } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { OwnerReference } from '../../workflows/api/meta.ts';
import { defined } from '../../workflows/plan/defined.ts';
import type { MachineFact } from '../../workflows/plan/scale-down.ts';
import type { KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { customResource } from '../kube/paths.ts';
import { selectorText } from './selector.ts';

/**
 * All Machines that the set controls. Orphans that it selects are adopted on the way, unless the spec is faulty: a missing
 * selector would select every Machine.
 */
export async function membersOf(
  control: KubeClient,
  set: MachineSet,
  { mayAdopt }: { mayAdopt: boolean },
): Promise<Machine[]> {
  const { namespace = '', uid } = set.metadata;
  const { items } = await control.list<Machine>(customResource('machines', namespace), {
    labelSelector: selectorText(set.spec.selector),
  });
  const members: Machine[] = [];
  for (const machine of items) {
    const owner = controllerOf(machine);
    if (owner?.uid === uid) members.push(machine);
    else if (!owner && mayAdopt) {
      const adopted = await adopt(control, set, machine);
      if (adopted) members.push(adopted);
    }
  }
  return members;
}

export function controllerOf({ metadata }: Machine): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function ownerReferenceOf(set: MachineSet): OwnerReference {
  const { name, uid } = set.metadata;
  return {
    apiVersion,
    kind: 'MachineSet',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Undefined when the machine or its owners changed meanwhile: the next look sees it again. */
async function adopt(
  control: KubeClient,
  set: MachineSet,
  machine: Machine,
): Promise<Machine | undefined> {
  const isGoing = set.metadata.deletionTimestamp ?? machine.metadata.deletionTimestamp;
  if (isGoing !== undefined) return undefined;
  const { namespace = '', name, uid, resourceVersion, ownerReferences = [] } = machine.metadata;
  try {
    return await control.patch<Machine>(customResource('machines', namespace, name), 'merge', {
      metadata: {
        uid,
        resourceVersion,
        ownerReferences: [...ownerReferences, ownerReferenceOf(set)],
      },
    });
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

const defaultPriority = 3;

/** What a scale-down looks at. */
export function factOf({ metadata, status }: Machine): MachineFact {
  const notes = metadata.annotations ?? {};
  const { phase = '', preserveExpiryTime } = status?.currentStatus ?? {};
  return defined({
    name: metadata.name,
    uid: metadata.uid,
    phase,
    isDeleting: metadata.deletionTimestamp !== undefined,
    priority: priorityOf(notes[annotations.priority]),
    markedAt: timeOf(notes[annotations.markedForDeletionTime]),
    preservedUntil: timeOf(preserveExpiryTime),
    createdAt: Date.parse(metadata.creationTimestamp),
  });
}

/** Milliseconds; nonsense counts as absent. */
function timeOf(text: string | null | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isFinite(time) ? time : undefined;
}

function priorityOf(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : defaultPriority;
}
