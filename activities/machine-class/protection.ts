/** The finalizers of MachineClasses and Secrets. */
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import type {
  ProtectionActivities,
  ProtectionOutcome,
} from '../../workflows/contracts/safety-activities.ts';
import { apiVersion, eventComponents, finalizers } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { protectedSecretsOf } from '../../workflows/api/secret-refs.ts';
import { readSecretsOf } from './reader.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { hasFinalizer } from '../../kube/objects/finalizers.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { isBuiltIn } from '../drivers/providers.ts';
import type { ClassDependencies } from './dependencies.ts';

type ProtectionDependencies = Pick<ClassDependencies, 'control' | 'hasDriver'>;

type ProtectionInput = Parameters<ProtectionActivities['protectFromDeletion']>[0];

export async function protectFromDeletion(
  dependencies: ProtectionDependencies,
  input: ProtectionInput,
): Promise<ProtectionOutcome> {
  const { resource, ref } = input;
  return resource === 'machineclasses'
    ? await protectClass(dependencies, input)
    : await protectSecret(dependencies.control, ref);
}

async function protectSecret(control: KubeClient, ref: NamespacedName): Promise<ProtectionOutcome> {
  const path = namespaced('secrets', ref.namespace, ref.name);
  const users = await classesOfSecret(control, ref);
  const object = await ignoreNotFound(control.get<KubeObject>(path));
  if (!object) return {};
  const protectedBy = { object, finalizer: finalizers.secret, users };
  await setFinalizer(control, path, protectedBy);
  reportWait(control, { apiVersion: 'v1', kind: 'Secret', users: 'MachineClasses' }, protectedBy);
  return {};
}

async function protectClass(
  dependencies: ProtectionDependencies,
  input: ProtectionInput,
): Promise<ProtectionOutcome> {
  const { control } = dependencies;
  const { ref, finalCheck } = input;
  const path = customResource('machineclasses', ref.namespace, ref.name);
  const users = await machinesOfClass(control, ref);
  const object = await ignoreNotFound(control.get<MachineClass>(path));
  if (!object) return {};
  const isReleased = users.length === 0 && hasFinalizer(object);
  const checkFirst =
    isReleased && !finalCheck ? await firstCheckOf(dependencies, object) : undefined;
  if (checkFirst) return { checkFirst };
  const protectedBy = { object, finalizer: finalizers.machine, users };
  await setFinalizer(control, path, protectedBy);
  reportWait(control, { apiVersion, kind: 'MachineClass', users: 'Machines' }, protectedBy);
  const { problem } = finalCheck ?? {};
  if (isReleased && problem !== undefined) await reportInstancesLeft(control, object, problem);
  return {};
}

/**
 * A class that is not used any more is released after a last check of what only its credentials can
 * reach.
 */
async function firstCheckOf(
  dependencies: ProtectionDependencies,
  machineClass: MachineClass,
): Promise<ProtectionOutcome['checkFirst']> {
  const { metadata, provider = '' } = machineClass;
  if (!(await canCheck(dependencies, machineClass))) return undefined;
  return {
    provider,
    isDeleting: metadata.deletionTimestamp !== undefined,
    ...(!isBuiltIn(provider) && { isExternal: true }),
  };
}

/** Without driver or credentials waiting would be for ever. */
async function canCheck(
  { control, hasDriver }: ProtectionDependencies,
  machineClass: MachineClass,
): Promise<boolean> {
  const { metadata, provider = '' } = machineClass;
  if (!(await hasDriver(provider))) return false;
  const { secretFaults } = await readSecretsOf(control, metadata.namespace ?? '', machineClass);
  return secretFaults.length === 0;
}

async function reportInstancesLeft(
  control: KubeClient,
  { metadata }: MachineClass,
  problem: string,
): Promise<void> {
  const { namespace = '', name, uid } = metadata;
  recordEvent(
    control,
    { apiVersion, kind: 'MachineClass', namespace, name, uid },
    {
      type: 'Warning',
      reason: 'InstancesMayBeLeft',
      message: problem,
      component: eventComponents.machine,
    },
  );
}

/** Their names, as below. */
async function machinesOfClass(
  control: KubeClient,
  { namespace, name }: NamespacedName,
): Promise<string[]> {
  const { items } = await control.list<Machine>(customResource('machines', namespace));
  return namesOf(items.filter(({ spec }) => spec.class?.name === name));
}

async function classesOfSecret(
  control: KubeClient,
  { namespace, name }: NamespacedName,
): Promise<string[]> {
  const { items } = await control.list<MachineClass>(customResource('machineclasses', namespace));
  return namesOf(items.filter((one) => protectedSecretsOf(one).includes(name)));
}

const namesOf = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name);

interface Protected {
  object: KubeObject;
  finalizer: string;
  /** While there are any the finalizer is wanted. */
  users: readonly string[];
}

/** So many are named where there are more. */
const mostNames = 3;

/** Else `kubectl delete` waits without a word. */
function reportWait(
  control: KubeClient,
  { users: plural, ...kind }: { apiVersion: string; kind: string; users: string },
  { object: { metadata }, finalizer, users }: Protected,
): void {
  const { namespace = '', name, uid, deletionTimestamp } = metadata;
  const isWaiting = deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer);
  if (!isWaiting || users.length === 0) return;
  const more = users.length > mostNames ? ` and ${users.length - mostNames} more` : '';
  const named = `${users.slice(0, mostNames).join(', ')}${more}`;
  recordEvent(
    control,
    { ...kind, namespace, name, uid },
    {
      type: 'Warning',
      reason: 'DeletionWaits',
      message: `It is to be deleted, and stays while it is used by the ${plural} ${named}; until then machines are made with it`,
      component: eventComponents.machine,
    },
  );
}

/** The write holds only for the list of finalizers that was read. */
async function setFinalizer(
  control: KubeClient,
  path: string,
  { object, finalizer, users }: Protected,
): Promise<void> {
  const { finalizers: present = [], resourceVersion, uid, deletionTimestamp } = object.metadata;
  const isPresent = present.includes(finalizer);
  const isWanted = users.length > 0;
  if (isPresent === isWanted) return;
  // Kubernetes takes no new finalizer on an object that is going.
  if (isWanted && deletionTimestamp !== undefined) return;
  const kept = present.filter((name) => name !== finalizer);
  const metadata = { uid, resourceVersion, finalizers: isWanted ? [...kept, finalizer] : kept };
  await ignoreNotFound(control.patch(path, 'merge', { metadata }));
}
