/** Reads what a Machine's life depends on, and makes the object ours. */
import type {
  LifeRef,
  PrepareOutcome,
  PreparedMachine,
  ProviderOutcome,
  ObjectRef,
} from '../../workflows/activities.ts';
import { machineFaults } from '../../workflows/api/validation.ts';
import type { MachineFailure } from '../../workflows/plan/machine.ts';
import { ensureBootstrapToken } from '../bootstrap-token.ts';
import type { ClassWithSecret } from '../class-reader.ts';
import { ensureFinalizer } from '../kube/finalizer.ts';
import { classFaults, driverFault, providerOf, refusalOf } from '../machine-class/faults.ts';
import { wantsBootstrapToken } from '../user-data.ts';
import type { World } from '../world.ts';
import { preparedOf, readMachine } from './object.ts';

export async function prepareMachine(
  world: World,
  input: { machine: ObjectRef; isRetry: boolean },
): Promise<PrepareOutcome> {
  const found = await readMachine(world.control, input.machine);
  if (!found) return { found: false };
  // Only here, at the start of a life: one that loses the finalizer later was let go by somebody on purpose.
  const object = await ensureFinalizer(world.control, 'machines', found);
  const prepared = preparedOf(object, world);
  const machine: LifeRef = { ...input.machine, uid: prepared.uid };
  if (prepared.isDeleting) return { found: true, machine: prepared };

  const faults = machineFaults(object);
  if (faults.length > 0) return failed(prepared, inputFailure(faults.join('; ')));
  const resolved = await world.classes.read(prepared.className, { isFresh: input.isRetry });
  if (!resolved) {
    const message = `spec.class.name: MachineClass "${prepared.className}" does not exist in namespace ${world.namespace}: create it, or name another`;
    return failed(prepared, inputFailure(message));
  }
  return await withClass(world, { machine, prepared, resolved });
}

/** A class that has gone or is wrong may be mended while its machines are being deleted. */
export async function findProvider(
  world: World,
  { className }: { className: string },
): Promise<ProviderOutcome> {
  const resolved = await world.classes.read(className, { isFresh: true });
  if (!resolved) {
    const message = `MachineClass "${className}" does not exist in namespace ${world.namespace}: create it again, its Machines need it`;
    return { found: false, failure: inputFailure(message) };
  }
  const refusal = refusalOf(resolved, world.namespace);
  if (refusal !== undefined) return { found: false, failure: inputFailure(refusal) };
  const { provider = '' } = resolved.machineClass;
  const fault = await driverFault(world, provider);
  if (fault === undefined) return { found: true, provider };
  return { found: false, failure: inputFailure(`MachineClass "${className}": ${fault}`) };
}

interface Resolved {
  machine: LifeRef;
  prepared: PreparedMachine;
  resolved: ClassWithSecret;
}

async function withClass(
  world: World,
  { machine, prepared, resolved }: Resolved,
): Promise<PrepareOutcome> {
  const fault = await classFault(world, resolved);
  if (fault !== undefined) return failed(prepared, inputFailure(fault));
  const complete = { ...prepared, ...providerOf(resolved) };
  // A machine that has its instance needs no token any more.
  const isBorn = prepared.providerID !== undefined;
  const userData = resolved.secret.userData ?? '';
  if (isBorn || !world.target || !wantsBootstrapToken(userData)) {
    return { found: true, machine: complete };
  }
  const bootstrapTokenId = await ensureBootstrapToken(world.target, {
    machine,
    lifetimeSeconds: prepared.limits.creationTimeoutSeconds,
    authExtraGroups: world.defaults.bootstrapTokenAuthExtraGroups,
  });
  return { found: true, machine: { ...complete, bootstrapTokenId } };
}

/** What is wrong with the class, in words that name the field; undefined when nothing is. */
async function classFault(world: World, resolved: ClassWithSecret): Promise<string | undefined> {
  const { metadata, provider = '', providerSpec } = resolved.machineClass;
  const faults = await classFaults(world, resolved);
  // The class may have been mended since its annotation was written: what counts is what it says now.
  faults.push(...world.specFaults(provider, providerSpec));
  return faults.length === 0 ? undefined : `MachineClass "${metadata.name}": ${faults.join('; ')}`;
}

function inputFailure(message: string): MachineFailure {
  return { code: 'InvalidArgument', message, isSettled: true };
}

function failed(machine: PreparedMachine, failure: MachineFailure): PrepareOutcome {
  return { found: true, machine, failure };
}
