/** Reads what a Machine's life depends on, and makes the object ours. */
import type { ObjectReference, NamespacedName } from '../../workflows/contracts/references.ts';
import type {
  ReadAndClaimOutcome,
  PreparedMachine,
} from '../../workflows/contracts/machine-activities.ts';
import type { ProviderOutcome } from '../../workflows/contracts/missing-instance-activities.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { machineFaults } from '../../workflows/api/validation.ts';
import type { MachineFailure } from '../../workflows/plan/machine/facts.ts';
import { ensureBootstrapToken } from './bootstrap-token.ts';
import type { ClassWithSecret } from '../machine-class/reader.ts';
import { userDataIn } from '../machine-class/reader.ts';
import { invalidSpec } from '../drivers/spec-schema.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { orOutOfReach } from './out-of-reach.ts';
import { ensureFinalizer } from '../../kube/objects/finalizers.ts';
import { classFaults, driverFault, providerOf, refusalOf } from '../machine-class/faults.ts';
import { wantsBootstrapToken } from '../machine-class/user-data.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { seenNodeOf } from './node/observed.ts';
import { referenceOf, readMachine } from './object.ts';
import { preparedOf } from './prepared.ts';
import { orRejection } from './rejection.ts';
import { readNodeOf } from './node/target-cluster.ts';

export async function readAndClaimMachine(
  dependencies: ActivityDependencies,
  input: ReadAndClaimInput,
): Promise<ReadAndClaimOutcome> {
  const found = await machineAt(dependencies, input);
  if (!found) return { found: false };
  const what = `the finalizer ${finalizers.machine} could not be set`;
  const { control } = dependencies;
  const claimed = await orRejection(() => ensureFinalizer(control, 'machines', found), what);
  const object = 'failure' in claimed ? found : claimed.answer;
  const prepared = preparedOf(object, dependencies);
  if (prepared.isDeleting) return { found: true, machine: prepared };
  const outcome =
    'failure' in claimed
      ? failed(prepared, claimed.failure)
      : await withoutNode(dependencies, input, object);
  if (!input.readsNode || outcome.outOfReach !== undefined) return outcome;
  return { ...outcome, ...(await nodeOf(dependencies, referenceOf(object), prepared)) };
}

interface ReadAndClaimInput {
  machine: NamespacedName;
  isRetry: boolean;
  readsNode?: boolean;
  signalled?: { uid: string; resourceVersion: string };
}

/** Returns the signalled Machine, where this process wrote that very version; else reads it. */
async function machineAt(
  { control, memory }: Pick<ActivityDependencies, 'control' | 'memory'>,
  { machine, signalled }: ReadAndClaimInput,
): Promise<Machine | undefined> {
  return (signalled && memory.written.take(signalled)) ?? (await readMachine(control, machine));
}

type FoundMachine = Extract<ReadAndClaimOutcome, { found: true }>;

async function withoutNode(
  dependencies: ActivityDependencies,
  input: ReadAndClaimInput,
  object: Machine,
): Promise<FoundMachine> {
  const prepared = preparedOf(object, dependencies);
  const machine: ObjectReference = { ...input.machine, uid: prepared.uid };
  const faults = machineFaults(object);
  if (faults.length > 0) return failed(prepared, inputFailure(faults.join('; ')));
  const isFresh = input.isRetry;
  const read = await readClass(dependencies, prepared.className, { isFresh });
  if ('failure' in read) return failed(prepared, read.failure);
  const resolved = read.answer;
  if (!resolved) {
    const message = `spec.class.name: MachineClass "${prepared.className}" does not exist in namespace ${dependencies.namespace}: create it, or name another`;
    return failed(prepared, inputFailure(message));
  }
  return await withClass(dependencies, { machine, prepared, resolved });
}

/** A class that has gone or is wrong may be fixed while its machines are being deleted. */
export async function findProvider(
  dependencies: ActivityDependencies,
  { className }: { className: string },
): Promise<ProviderOutcome> {
  const read = await readClass(dependencies, className, { isFresh: true });
  if ('failure' in read) return { found: false, failure: read.failure };
  const resolved = read.answer;
  if (!resolved) {
    const message = `MachineClass "${className}" does not exist in namespace ${dependencies.namespace}: create it again, its Machines need it`;
    return { found: false, failure: inputFailure(message) };
  }
  const refusal = refusalOf(resolved, dependencies.namespace);
  if (refusal !== undefined) return { found: false, failure: inputFailure(refusal) };
  const { isClassRefused: _known, ...known } = providerOf(resolved);
  const fault = await driverFault(dependencies, known.provider);
  if (fault === undefined) return { found: true, ...known };
  return { found: false, failure: inputFailure(`MachineClass "${className}": ${fault}`) };
}

export async function readClass(
  { classes }: ActivityDependencies,
  name: string,
  options: { isFresh: boolean },
) {
  const what = `MachineClass "${name}" or a Secret of it could not be read`;
  return await orRejection(() => classes.read(name, options), what);
}

interface Resolved {
  machine: ObjectReference;
  prepared: PreparedMachine;
  resolved: ClassWithSecret;
}

async function withClass(
  dependencies: ActivityDependencies,
  { machine, prepared, resolved }: Resolved,
): Promise<FoundMachine> {
  const fault = await classFault(dependencies, resolved);
  if (fault !== undefined) return failed(prepared, inputFailure(fault));
  const complete = { ...prepared, ...providerOf(resolved) };
  // A machine that has its instance needs no token any more.
  const isBorn = prepared.providerID !== undefined;
  const { target } = dependencies;
  if (isBorn || !target || !(await wantsToken(resolved))) {
    return { found: true, machine: complete };
  }
  const made = await orOutOfReach(() => makeToken({ ...dependencies, target }, machine, prepared));
  if ('outOfReach' in made) return { found: true, machine: complete, ...made };
  const { answer } = made;
  if ('failure' in answer) return failed(prepared, answer.failure);
  return { found: true, machine: { ...complete, bootstrapTokenId: answer.answer } };
}

/** Machines join by a token with what is rendered, not with operating-system-manager's. */
async function wantsToken(resolved: ClassWithSecret): Promise<boolean> {
  const asked = await resolved.userData?.();
  if (asked) return asked.input !== undefined;
  return wantsBootstrapToken(userDataIn(resolved) ?? '');
}

async function makeToken(
  { target, defaults }: ActivityDependencies & { target: KubeClient },
  machine: ObjectReference,
  { limits }: PreparedMachine,
) {
  const request = {
    machine,
    lifetimeSeconds: limits.creationTimeoutSeconds,
    authExtraGroups: defaults.bootstrapTokenAuthExtraGroups,
  };
  const what = 'the target cluster did not take its bootstrap token';
  return await orRejection(() => ensureBootstrapToken(target, request), what);
}

async function nodeOf(
  { control, target, targetCluster }: ActivityDependencies,
  machine: ObjectReference,
  { nodeName, providerID }: PreparedMachine,
): Promise<Pick<FoundMachine, 'node' | 'outOfReach'>> {
  if (!target || nodeName === undefined || providerID === undefined) return {};
  const clusters = { control, target, targetCluster };
  const read = await orOutOfReach(() => readNodeOf(clusters, { machine, nodeName, providerID }));
  if ('outOfReach' in read) return read;
  return read.answer ? { node: seenNodeOf(read.answer, machine.namespace) } : {};
}

/** Returns the fault of the class, as a sentence that names the field; undefined without one. */
async function classFault(
  dependencies: ActivityDependencies,
  resolved: ClassWithSecret,
): Promise<string | undefined> {
  const { metadata, provider = '', providerSpec } = resolved.machineClass;
  const faults = await classFaults(dependencies, resolved);
  // The class may have been fixed since its annotation was written: what counts is what it says
  // now.
  const specFaults = dependencies.specFaults(provider, providerSpec);
  if (specFaults.length > 0) faults.push(invalidSpec(specFaults));
  return faults.length === 0 ? undefined : `MachineClass "${metadata.name}": ${faults.join('; ')}`;
}

function inputFailure(message: string): MachineFailure {
  return { code: 'InvalidArgument', message, isSettled: true };
}

function failed(machine: PreparedMachine, failure: MachineFailure): FoundMachine {
  return { found: true, machine, failure };
}
