/** The objects that an explanation is about. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Kind } from '../../workflows/contracts/references.ts';
import type { FoundObject } from '../diagnosis/finding.ts';
import type { Install } from '../install/install.ts';
import { nodeNameOf } from '../diagnosis/machine-health.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import type { Pool, SetWithMachines } from '../install/pools.ts';
import { poolsOf } from '../install/pools.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { formatReference } from '../command-line/object-reference.ts';

export type Subject = { object: FoundObject } & (
  | { kind: 'machine'; machine: Machine }
  | { kind: 'machineset'; set: SetWithMachines }
  | { kind: 'machinedeployment'; pool: Pool & { deployment: MachineDeployment } }
  /** `machine`: the one that has the Node. */
  | { kind: 'node'; machine: Machine | undefined }
);

/** Throws when there is no such object. A Node is read later, in its own cluster. */
export function subjectOf(
  reference: ObjectReference,
  { install, namespace }: { install: Install; namespace: string },
): Subject {
  const { kind, name } = reference;
  const object = { kind, namespace, name };
  if (kind === 'node') {
    const machine = install.machines.find((one) => nodeNameOf(one) === name);
    return { kind, object: { kind, name }, machine };
  }
  const found = findObject(reference, install);
  if (!found) throw nothingThere(reference, namespace);
  return { object, ...found };
}

type FoundSubject =
  | { kind: 'machine'; machine: Machine }
  | { kind: 'machineset'; set: SetWithMachines }
  | { kind: 'machinedeployment'; pool: Pool & { deployment: MachineDeployment } };

function findObject({ kind, name }: ObjectReference, install: Install): FoundSubject | undefined {
  if (kind === 'machine') {
    const machine = install.machines.find(({ metadata }) => metadata.name === name);
    return machine && { kind, machine };
  }
  const { pools, loneSets } = poolsOf(install);
  if (kind === 'machinedeployment') {
    const pool = pools.find(({ deployment }) => deployment.metadata.name === name);
    return pool && { kind, pool };
  }
  const sets = [...pools.flatMap((pool) => pool.sets), ...loneSets];
  const set = sets.find((one) => one.set.metadata.name === name);
  return set && { kind: 'machineset', set };
}

function nothingThere(reference: ObjectReference, namespace: string): Error {
  const message = `There is no ${formatReference(reference)} in namespace ${namespace}.`;
  return new Error(
    reference.kind === 'machine'
      ? `${message} Temporal may know its lifecycle: ${millwrightFor(`timeline ${formatReference(reference)}`, namespace)}`
      : message,
  );
}

/** Kind of its workflow, as ids name it. */
export function workflowKindOf(subject: Subject): { kind: Kind; name: string } | undefined {
  const { name } = subject.object;
  switch (subject.kind) {
    case 'machine':
      return { kind: 'machine', name };
    case 'machineset':
      return { kind: 'machineSet', name };
    case 'machinedeployment':
      return { kind: 'machineDeployment', name };
    case 'node':
      return subject.machine && { kind: 'machine', name: subject.machine.metadata.name };
  }
}
