/** Reports the steps of a Machine's creation on the object. */
import type {
  CreatedInstance,
  LifeRef,
  MachineActivities,
  TimeoutOutcome,
} from '../../workflows/activities.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import { formatDuration } from '../../workflows/api/duration.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Instance, MachineFailure } from '../../workflows/plan/machine.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';
import { isSameInstance } from '../../workflows/plan/provider-id.ts';
import { isUnreachable } from '../kube/errors.ts';
import { recordEvent } from '../kube/events.ts';
import type { World } from '../world.ts';
import { rivalOf } from './node-claims.ts';
import { obstacleOf, readNode } from './node.ts';
import {
  component,
  healthLimitsOf,
  machineSubject,
  patchMachine,
  phaseOf,
  preparedOf,
  readMachine,
  timestamp,
} from './object.ts';

type InputOf<Name extends keyof MachineActivities> = Parameters<MachineActivities[Name]>[0];

/** The instance's ids, then the phase: an object with a phase has its ids. */
export async function recordCreated(
  { control }: World,
  { machine, instance, usesTarget }: InputOf<'recordCreated'>,
): Promise<void> {
  const patched = await patchMachine(control, machine, {
    metadata: {
      ...(usesTarget && { labels: { [labels.node]: instance.nodeName } }),
      annotations: { [annotations.createGeneration]: null },
    },
    spec: { providerID: instance.providerID },
  });
  // The step before a crash may run once more after the one that followed it: a machine does not go back.
  if (!patched || isBeyondCreation(patched)) return;
  const description = usesTarget
    ? `Instance ${instance.providerID} was created: waiting for Node ${instance.nodeName} to join`
    : `Instance ${instance.providerID} was created`;
  const status = createdStatusOf(instance, { usesTarget, description });
  if (!(await patchMachine(control, machine, { status }))) return;
  await recordEvent(control, machineSubject(machine), {
    type: 'Normal',
    reason: 'InstanceCreated',
    message: description,
    component,
  });
}

function createdStatusOf(
  { lastKnownState, addresses }: CreatedInstance,
  { usesTarget, description }: { usesTarget: boolean; description: string },
): object {
  const now = timestamp();
  return {
    ...(lastKnownState !== undefined && { lastKnownState }),
    ...(!usesTarget && addresses && { addresses }),
    currentStatus: usesTarget
      ? { phase: 'Pending', timeoutActive: true, lastUpdateTime: now }
      : { phase: 'Available', timeoutActive: null, lastUpdateTime: now },
    lastOperation: {
      description,
      errorCode: null,
      state: usesTarget ? 'Processing' : 'Successful',
      type: 'Create',
      lastUpdateTime: now,
    },
  };
}

function isBeyondCreation(machine: Machine): boolean {
  const phase = phaseOf(machine);
  return phase === 'Running' || phase === 'Terminating';
}

/** Writes nothing when the same failure stands there already, but counts the Event. */
export async function recordFailure(
  world: World,
  { machine, failure, operation, phase, createGeneration }: InputOf<'recordFailure'>,
): Promise<void> {
  const current = await readMachine(world.control, machine);
  if (current?.metadata.uid !== machine.uid) return;
  const description = descriptionOf(failure, operation);
  const isKnown =
    current.status?.lastOperation?.description === description && phaseOf(current) === phase;
  if (!isKnown) await writeFailure(world, machine, { failure, operation, phase, description });
  await keepGeneration(world, current, { machine, createGeneration });
  await recordEvent(world.control, machineSubject(machine), {
    type: 'Warning',
    reason: operation === 'Create' ? 'FailedCreate' : 'FailedDelete',
    message: `${failure.code}: ${failure.message}`,
    component,
  });
  await tellOfCredentials(world, current, failure);
}

async function tellOfCredentials(
  { refusals }: World,
  { metadata: { namespace = '' }, spec }: Machine,
  { kind, code, message }: MachineFailure,
): Promise<void> {
  const { name = '' } = spec.class ?? {};
  if (kind !== 'credentials' || name === '') return;
  await refusals.refused({ namespace, name }, `${code}: ${message}`, 'machines');
}

/** On the object, so that a token that a cloud refused is not used again even when Temporal was lost. */
async function keepGeneration(
  { control }: World,
  current: Machine,
  { machine, createGeneration }: { machine: LifeRef; createGeneration: number },
): Promise<void> {
  const text = createGeneration === 0 ? undefined : String(createGeneration);
  if (current.metadata.annotations?.[annotations.createGeneration] === text) return;
  const metadata = { annotations: { [annotations.createGeneration]: text ?? null } };
  await patchMachine(control, machine, { metadata });
}

interface FailureReport {
  failure: MachineFailure;
  operation: 'Create' | 'Delete';
  phase: MachinePhase;
  description: string;
}

async function writeFailure(
  { control }: World,
  machine: LifeRef,
  { failure, operation, phase, description }: FailureReport,
): Promise<void> {
  const now = timestamp();
  await patchMachine(control, machine, {
    status: {
      currentStatus: { phase, timeoutActive: null, lastUpdateTime: now },
      lastOperation: {
        description,
        errorCode: failure.code,
        state: 'Failed',
        type: operation,
        lastUpdateTime: now,
      },
    },
  });
}

/** The error in brackets is as MCM v0.62.1 writes it: its users' tools look for that. */
function descriptionOf(
  { code, message, during }: MachineFailure,
  operation: 'Create' | 'Delete',
): string {
  const error = `machine codes error: code = [${code}] message = [${message}]`;
  if (during === 'nodeLookup') return `The new instance was given back - ${error}`;
  if (during === 'initialization') return `Initializing the instance failed - ${error}`;
  return operation === 'Create'
    ? `Cloud provider message - ${error}`
    : `Deleting the instance failed and is tried again - ${error}`;
}

/** A timer alone fails no machine: it may have joined or been given more time while nobody told. */
export async function recordTimeout(
  world: World,
  input: InputOf<'recordTimeout'>,
): Promise<TimeoutOutcome> {
  try {
    return await lookAtTimeout(world, input);
  } catch (error) {
    // The workflow has to know, so that the outage is not counted against the machine.
    if (!isUnreachable(error)) throw error;
    return { found: 'outOfReach', reason: error.message };
  }
}

async function lookAtTimeout(
  world: World,
  { machine, instance, isAfterOutage = false, now }: InputOf<'recordTimeout'>,
): Promise<TimeoutOutcome> {
  const current = await readMachine(world.control, machine);
  if (current?.metadata.uid !== machine.uid) return { found: 'nothing' };
  const prepared = preparedOf(current, world);
  const { creationTimeoutSeconds } = prepared.limits;
  if (now < prepared.createdAt + creationTimeoutSeconds * 1000) {
    return { found: 'moreTime', machine: prepared };
  }
  const node = await joinedNode(world, current, instance);
  if (node) return { found: 'node', node };
  if (isAfterOutage) return { found: 'moreTime', machine: prepared };
  await writeTimeout(world, machine, creationTimeoutSeconds);
  return { found: 'tooLate' };
}

function lifeOf({ metadata: { namespace = '', name, uid } }: Machine): LifeRef {
  return { namespace, name, uid };
}

export async function joinedNode(
  { control, target, defaults }: World,
  machine: Machine,
  instance: Instance | undefined,
): Promise<Extract<TimeoutOutcome, { found: 'node' }>['node'] | undefined> {
  if (!target || !instance) return undefined;
  const node = await readNode(target, instance.nodeName);
  const { nodeConditions } = healthLimitsOf(machine, defaults);
  if (!node || obstacleOf(node, nodeConditions) !== undefined) return undefined;
  const { metadata, spec } = node;
  if (!isSameInstance(spec?.providerID, instance.providerID)) return undefined;
  if ((await rivalOf(control, node, lifeOf(machine))) !== undefined) return undefined;
  return { name: metadata.name, uid: metadata.uid, providerID: spec?.providerID ?? '' };
}

async function writeTimeout(
  { control }: World,
  machine: LifeRef,
  timeoutSeconds: number,
): Promise<void> {
  const description = `Machine ${machine.name} failed to join the cluster in ${formatDuration(timeoutSeconds)}.`;
  const now = timestamp();
  await patchMachine(control, machine, {
    status: {
      currentStatus: { phase: 'Failed', timeoutActive: null, lastUpdateTime: now },
      lastOperation: { description, state: 'Failed', type: 'Create', lastUpdateTime: now },
    },
  });
  await recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason: 'CreationTimeout',
    message: description,
    component,
  });
}
