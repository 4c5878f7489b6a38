/** Reports the steps of a Machine's creation on the object. */
import { hasJoined, type MachinePhase } from '../../workflows/api/phases.ts';
import type { CreatedInstance } from '../../workflows/contracts/driver-contract.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type {
  MachineActivities,
  PreparedMachine,
  TimeoutOutcome,
} from '../../workflows/contracts/machine-activities.ts';
import type { ReadNode } from '../../workflows/contracts/snapshots.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import { formatDuration } from '../../workflows/api/duration.ts';
import type { Machine, MachineStatus } from '../../workflows/api/machine.ts';
import { nodeAddresses } from '../../workflows/values/node-addresses.ts';
import type { Instance, StepFailure } from '../../workflows/plan/machine/facts.ts';
import { isSameInstance } from '../../workflows/values/provider-id.ts';
import { isRejectedWrite, isUnreachable, isRejected } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { competingMachine } from './node/claims.ts';
import { obstacleOf, seenNodeOf } from './node/observed.ts';
import { keepConsoleOutput, reportConsoleOutput } from './console-output.ts';
import {
  component,
  isDeleting,
  machineSubject,
  patchMachine,
  patchCheckedStatus,
  patchStatus,
  readSameMachine,
  referenceOf,
} from './object.ts';
import { healthLimitsOf } from './limits.ts';
import { machineSetOf, phaseOf, preparedOf } from './prepared.ts';
import { orOutOfReach } from './out-of-reach.ts';
import { failureMessageOf, statusPatch } from './status.ts';
import { readNodeOf } from './node/target-cluster.ts';
import { clearName } from './teardown.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { refused } from '../runtime/failures.ts';

type InputOf<Name extends keyof MachineActivities> = Parameters<MachineActivities[Name]>[0];

/** The instance's ids, then the phase: an object with a phase has its ids. */
export async function recordCreated(
  dependencies: ActivityDependencies,
  { only, ...input }: InputOf<'recordCreated'>,
): Promise<void> {
  const { control, memory } = dependencies;
  const { machine } = input;
  const patched =
    only === 'phase'
      ? (memory.written.take(machine) ?? (await readSameMachine(control, machine)))
      : await recordIds(dependencies, input);
  if (!patched) return;
  if (only === 'ids') memory.written.keep(patched);
  else await recordPending(dependencies, input, patched);
}

/** Undefined where the Machine is gone. */
async function recordIds(
  { control, target, targetCluster }: ActivityDependencies,
  { machine, instance, usesTarget, clearsName }: InputOf<'recordCreated'>,
): Promise<Machine | undefined> {
  if (clearsName && target) await clearName({ control, target }, machine, instance);
  const joins = usesTarget && targetCluster !== undefined;
  const { userDataOrigin } = instance;
  const ids = {
    metadata: {
      ...(usesTarget && { labels: { [labels.node]: instance.nodeName } }),
      annotations: {
        [annotations.createGeneration]: null,
        ...(joins && { [annotations.targetCluster]: targetCluster }),
        ...(userDataOrigin !== undefined && { [annotations.userData]: userDataOrigin }),
      },
    },
    spec: { providerID: instance.providerID },
  };
  const write = () => patchMachine(control, machine, ids);
  return await orRefusedIds(control, { machine, instance }, write);
}

async function recordPending(
  { control, memory, keepsAddresses }: ActivityDependencies,
  { machine, instance, usesTarget }: InputOf<'recordCreated'>,
  patched: Machine,
): Promise<void> {
  const description = usesTarget
    ? `Instance ${instance.providerID} was created: waiting for Node ${instance.nodeName} to join`
    : `Instance ${instance.providerID} was created`;
  const statusOf = (current: Machine): object | undefined => {
    if (isBeyondCreation(current) || isToBeReplaced(current)) return undefined;
    const details = detailsOf(current, instance, { keepsAddresses: keepsAddresses || !usesTarget });
    const status = pendingStatusOf({ usesTarget, description });
    return { ...details, ...status, ...failureMessageOf(current) };
  };
  const recorded = await patchStatus(control, patched, statusOf);
  if (!recorded) return;
  if (usesTarget) memory.written.keep(recorded);
  recordEvent(control, machineSubject(machine), {
    type: 'Normal',
    reason: 'InstanceCreated',
    message: description,
    component,
  });
}

/** What the cloud said of the instance. */
export function detailsOf(
  current: Machine,
  instance: CreatedInstance,
  { keepsAddresses = false }: Pick<ActivityDependencies, 'keepsAddresses'>,
): Pick<MachineStatus, 'lastKnownState' | 'addresses'> {
  const { lastKnownState } = instance;
  const addresses = nodeAddresses(current.status?.addresses ?? [], instance);
  return {
    ...(lastKnownState !== undefined && { lastKnownState }),
    ...(keepsAddresses && { addresses }),
  };
}

function pendingStatusOf({
  usesTarget,
  description,
}: {
  usesTarget: boolean;
  description: string;
}): object {
  return statusPatch({
    phase: usesTarget ? 'Pending' : 'Available',
    isTimeoutActive: usesTarget,
    operation: { description, state: usesTarget ? 'Processing' : 'Successful', type: 'Create' },
    errorCode: null,
  });
}

/**
 * The step before a crash may run once more after the one that followed it, and an attempt that was
 * taken for dead may still run: a machine does not go back.
 */
function isBeyondCreation(machine: Machine): boolean {
  const phase = phaseOf(machine);
  return hasJoined(phase) || phase === 'Terminating';
}

/** A create that was given up at the creation timeout may have its instance all the same. */
function isToBeReplaced(machine: Machine): boolean {
  return phaseOf(machine) === 'Failed' && machineSetOf(machine) !== undefined;
}

/** Writes nothing when the same failure stands there already, but counts the Event. */
export async function recordFailure(
  dependencies: ActivityDependencies,
  { machine, failure, operation, phase, createGeneration }: InputOf<'recordFailure'>,
): Promise<void> {
  const current = await readSameMachine(dependencies.control, machine);
  if (!current) return;
  const description = descriptionOf(failure, operation);
  await writeFailure(dependencies, current, { failure, operation, phase, description });
  await keepGeneration(dependencies, current, { machine, createGeneration });
  recordEvent(dependencies.control, machineSubject(machine), {
    type: 'Warning',
    reason: operation === 'Create' ? 'FailedCreate' : 'FailedDelete',
    message: `${failure.code}: ${failure.message}`,
    component,
  });
  await reportCredentials(dependencies, current, failure);
}

async function reportCredentials(
  { refusals }: ActivityDependencies,
  { metadata: { namespace = '' }, spec }: Machine,
  { kind, code, message }: StepFailure,
): Promise<void> {
  const { name = '' } = spec.class ?? {};
  if (kind !== 'credentials' || name === '') return;
  await refusals.refused({ namespace, name }, `${code}: ${message}`, 'machines');
}

/**
 * On the object, so that a token that a cloud refused is not used again even when Temporal was
 * lost.
 */
async function keepGeneration(
  { control }: ActivityDependencies,
  current: Machine,
  { machine, createGeneration }: { machine: ObjectReference; createGeneration: number },
): Promise<void> {
  const text = createGeneration === 0 ? undefined : String(createGeneration);
  if (current.metadata.annotations?.[annotations.createGeneration] === text) return;
  const metadata = { annotations: { [annotations.createGeneration]: text ?? null } };
  try {
    await patchMachine(control, machine, { metadata });
  } catch (error) {
    // It is of use only once Temporal is lost, and the next failure writes it again: neither the
    // next attempt nor a deletion waits for it.
    if (!isRejectedWrite(error)) throw error;
  }
}

interface FailureReport {
  failure: StepFailure;
  operation: 'Create' | 'Delete';
  phase: MachinePhase;
  description: string;
}

async function writeFailure(
  { control }: ActivityDependencies,
  current: Machine,
  { failure, operation, phase, description }: FailureReport,
): Promise<void> {
  const status = statusPatch({
    phase,
    operation: { description, state: 'Failed', type: operation },
    errorCode: failure.code,
  });
  await patchStatus(control, current, (now) => {
    const isKnown =
      now.status?.lastOperation?.description === description && phaseOf(now) === phase;
    const isOver = operation === 'Create' ? isBeyondCreation(now) : !isDeleting(now);
    if (isKnown || isOver) return undefined;
    const creation = operation === 'Create' ? { code: failure.code, description } : undefined;
    return { ...status, ...failureMessageOf(now, creation) };
  });
}

/** The error in brackets is as MCM v0.62.1 writes it: its users' tools search for that. */
function descriptionOf(
  { code, message, during }: StepFailure,
  operation: 'Create' | 'Delete',
): string {
  const error = `machine codes error: code = [${code}] message = [${message}]`;
  if (during === 'nodeLookup')
    return `The new instance is deleted, as another Node has its name - ${error}`;
  // As MCM v0.62.1 writes it, with the step that comes next.
  if (during === 'nodeDeletion') return `${message}. Initiate node object deletion`;
  if (during === 'initialization') return `Initializing the instance failed - ${error}`;
  return operation === 'Create'
    ? `Cloud provider message - ${error}`
    : `Deleting the instance failed and is tried again - ${error}`;
}

/** A timer alone fails no machine: it may have joined or been given more time without a signal. */
export async function recordTimeout(
  dependencies: ActivityDependencies,
  input: InputOf<'recordTimeout'>,
): Promise<TimeoutOutcome> {
  try {
    return await checkTimeout(dependencies, input);
  } catch (error) {
    // The workflow has to know, so that the outage is not counted against the machine.
    if (!isUnreachable(error)) throw error;
    return { found: 'outOfReach', reason: error.message };
  }
}

async function checkTimeout(
  dependencies: ActivityDependencies,
  input: InputOf<'recordTimeout'>,
): Promise<TimeoutOutcome> {
  const { machine, instance, isAfterOutage = false, now } = input;
  const current = await readSameMachine(dependencies.control, machine);
  if (!current) return { found: 'nothing' };
  const prepared = preparedOf(current, dependencies);
  const { creationTimeoutSeconds } = prepared.limits;
  if (now < prepared.createdAt + creationTimeoutSeconds * 1000) {
    return { found: 'moreTime', machine: prepared };
  }
  const joined = await orOutOfReach(() => joinedNode(dependencies, current, instance));
  if ('outOfReach' in joined) return { found: 'outOfReach', reason: joined.outOfReach };
  if (joined.answer) return { found: 'node', node: joined.answer };
  if (isAfterOutage || isAhead(prepared, instance)) return { found: 'moreTime', machine: prepared };
  await writeTimeout(dependencies, { ...input, current }, creationTimeoutSeconds);
  return { found: 'tooLate' };
}

export async function joinedNode(
  { control, target, targetCluster, defaults }: ActivityDependencies,
  machine: Machine,
  instance: Instance | undefined,
): Promise<ReadNode | undefined> {
  if (!target || !instance) return undefined;
  const clusters = { control, target, targetCluster };
  const node = await readNodeOf(clusters, { machine: referenceOf(machine), ...instance });
  const { nodeConditions } = healthLimitsOf(machine, defaults);
  if (!node || obstacleOf(node, nodeConditions) !== undefined) return undefined;
  if (!isSameInstance(node.spec?.providerID, instance.providerID)) return undefined;
  if ((await competingMachine(control, node, referenceOf(machine))) !== undefined) return undefined;
  return seenNodeOf(node, machine.metadata.namespace ?? '');
}

/**
 * More came of it than the workflow knows: its answers were lost, or Temporal was restored from a
 * backup of before. The object is what counts now.
 */
function isAhead(
  { phase, providerID, nodeName }: PreparedMachine,
  instance: Instance | undefined,
): boolean {
  if (instance) return hasJoined(phase);
  const isMade = hasJoined(phase) || phase === 'Pending';
  return providerID !== undefined && nodeName !== undefined && isMade;
}

async function writeTimeout(
  { control }: ActivityDependencies,
  { machine, instance, consoleOutput, current }: InputOf<'recordTimeout'> & { current: Machine },
  timeoutSeconds: number,
): Promise<void> {
  const description = `Machine ${machine.name} failed to join the cluster in ${formatDuration(timeoutSeconds)}.`;
  const seen = await keepConsoleOutput(control, current, consoleOutput);
  if (!seen) return;
  const status = statusPatch({
    phase: 'Failed',
    operation: { description, state: 'Failed', type: 'Create' },
    // Without an instance, what the cloud refused is why none joined: MCM v0.62.1 fails such a
    // machine with that code, and the cluster autoscaler avoids a group that is out of resources.
    errorCode: instance ? null : 'keep',
  });
  await patchCheckedStatus(control, seen, status);
  recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason: 'CreationTimeout',
    message: description,
    component,
  });
  reportConsoleOutput(control, { machine, instance, consoleOutput });
}

interface Recording {
  machine: ObjectReference;
  instance: Instance;
}

/**
 * The API server may not take the ids of an instance, as where a policy guards `spec.providerID`.
 * That is said on the Machine, and not tried again here, as its deletion must not wait: it finds
 * the instance all the same by the ids that the workflow has.
 */
async function orRefusedIds<T>(
  control: KubeClient,
  recording: Recording,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isRejectedWrite(error)) throw error;
    await say(control, recording, error.message);
    throw refused(error);
  }
}

async function say(
  control: KubeClient,
  { machine, instance: { providerID } }: Recording,
  why: string,
): Promise<void> {
  const description = `Instance ${providerID} was created, and the API server does not take its ids: ${why}`;
  const operation = { description, state: 'Failed', type: 'Create' } as const;
  const event = {
    type: 'Warning',
    reason: 'FailedUpdate',
    message: description,
    component,
  } as const;
  recordEvent(control, machineSubject(machine), event);
  try {
    const seen = await readSameMachine(control, machine);
    if (!seen) return;
    await patchStatus(control, seen, (now) => {
      const isKnown = now.status?.lastOperation?.description === description;
      return isKnown || isDeleting(now) ? undefined : statusPatch({ operation, errorCode: null });
    });
  } catch (error) {
    // The Event says it.
    if (!isRejected(error)) throw error;
  }
}
