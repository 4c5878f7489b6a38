/** Reads what a Machine's life depends on, and makes the object ours. */
import type {
  LifeRef,
  PrepareOutcome,
  PreparedMachine,
  ObjectRef,
} from '../../workflows/activities.ts';
import { machineFaults } from '../../workflows/api/validation.ts';
import type { MachineFailure } from '../../workflows/plan/machine.ts';
import { ensureBootstrapToken } from '../bootstrap-token.ts';
import type { ClassWithSecret } from '../class-reader.ts';
import { ensureFinalizer } from '../kube/finalizer.ts';
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
  const complete = { ...prepared, provider: resolved.machineClass.provider ?? '' };
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
  const { machineClass, secret, missingSecrets } = resolved;
  const { name } = machineClass.metadata;
  const { provider = '', secretRef, credentialsSecretRef } = machineClass;
  for (const ref of [secretRef, credentialsSecretRef]) {
    if (ref?.namespace !== undefined && ref.namespace !== '' && ref.namespace !== world.namespace) {
      return `MachineClass "${name}": secretRef.namespace: "${ref.namespace}" is not allowed: Secrets are read in ${world.namespace} only`;
    }
  }
  if (missingSecrets.length > 0) {
    return `MachineClass "${name}": secretRef.name: Secret "${missingSecrets.join('", "')}" does not exist in namespace ${world.namespace}`;
  }
  if (secret.userData === undefined) {
    return `MachineClass "${name}": its Secret has no key "userData": add it, it may be empty`;
  }
  if (!(await world.hasDriver(provider))) {
    return `MachineClass "${name}": provider: "${provider}" has no driver: no worker serves its task queue`;
  }
  return undefined;
}

function inputFailure(message: string): MachineFailure {
  return { code: 'InvalidArgument', message, isSettled: true };
}

function failed(machine: PreparedMachine, failure: MachineFailure): PrepareOutcome {
  return { found: true, machine, failure };
}
