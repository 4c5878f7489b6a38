/** The driver's activities: resolve what the request names, call the cloud, say what came of it. */
import { ApplicationFailure } from '@temporalio/common';
import type {
  HeldDeleteOutcome,
  LaunchRequest,
  RecordedCreateOutcome,
} from '../workflows/contracts/driver-activities.ts';
import type {
  ClassRequest,
  ConsoleOutput,
  CreateOutcome,
  DeleteListedOutcome,
  DeleteListedRequest,
  DescribeOutcome,
  DriverRequest,
  ListOutcome,
  ListRequest,
  Pending,
  ValidateOutcome,
} from '../workflows/contracts/driver-contract.ts';
import { hooksIn } from '../workflows/api/deletion-hooks.ts';
import { formatHold, holdOf, type Hold } from '../workflows/plan/machine/hooks.ts';
import { defined } from '../workflows/values/defined.ts';
import type { MachineFailure } from '../workflows/plan/machine/facts.ts';
import type { ClassReader, ClassWithSecret } from './machine-class/reader.ts';
import { printableSecret, userDataOf } from './create-user-data.ts';
import { keptOutput } from './redaction/console-output.ts';
import { isClaimed, requireDeletable, requireUnclaimed } from './machine/deletable.ts';
import { beforeCreate, wasUnsent } from './drivers/before-create.ts';
import { askingCloud } from './drivers/asking-cloud.ts';
import type { Driver, MachineRequest } from './drivers/driver.ts';
import { DriverError, DriverPending } from './drivers/driver.ts';
import type { DriverQueueActivities, Guard } from './gates.ts';
import { gated } from './gates.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { LaunchParts } from './machine/launch.ts';
import { launchMachine } from './machine/launch.ts';
import { refusalOf } from './machine-class/faults.ts';
import { deleteOrphan } from './safety/orphans/delete-orphan.ts';
import { findOrphans } from './safety/orphans/find-orphans.ts';
import { checkFinally } from './safety/orphans/final-check.ts';
import type { Audit, InstanceVerb } from './runtime/audit.ts';
import { auditDeletion, auditInstance, auditListedDeletion } from './runtime/audit-instances.ts';
import type { AnsweredRequest } from './system/cloud-requests.ts';
import { asSent } from './machine-class/user-data.ts';
import { anySignal, timeoutSignal } from './system/system.ts';

/** Parts that a driver's activities act on. They write nothing to Kubernetes. */
export interface DriverDependencies {
  driver: Driver;
  control: KubeClient;
  target?: KubeClient;
  classes: ClassReader;
  /** Aborts the call when the activity is cancelled. */
  signal(): AbortSignal;
  /** It is cancelled because this process ends: another one goes on with it. */
  isShuttingDown(): boolean;
  /** Nothing was asked of the cloud by an attempt before. Default: it may have been. */
  isFirstAttempt?(): boolean;
  guard: Guard;
  /** Writes to its Machine what was made. Default: the workflow schedules the steps for that. */
  record?(request: DriverRequest, outcome: CreateOutcome): Promise<RecordedCreateOutcome>;
  /** Reads and claims a new Machine. Absent in a process without the core. */
  claim?: LaunchParts['claim'];
  /** A launch goes on step by step. */
  warn?(error: unknown): void;
  /** What became of which VM, and for which run. */
  audit: Audit;
}

export function createDriverActivities(dependencies: DriverDependencies): DriverQueueActivities {
  return gated(driverActivities(dependencies), dependencies.guard);
}

function driverActivities(dependencies: DriverDependencies): DriverQueueActivities {
  const { claim, warn = () => undefined } = dependencies;
  async function createInstance(request: LaunchRequest): Promise<RecordedCreateOutcome> {
    const outcome = await answered(dependencies, creating(dependencies, request), pendingOf);
    return (await dependencies.record?.(request, outcome)) ?? outcome;
  }
  return {
    createInstance,
    async launchMachine(request) {
      if (!claim) throw ApplicationFailure.nonRetryable('this worker does not serve the core');
      return await launchMachine({ claim, create: createInstance, warn }, request);
    },
    deleteInstance: (request) => answered(dependencies, deleting(dependencies, request), pendingOf),
    describeInstance: (request) => answered(dependencies, describing(dependencies, request)),
    getConsoleOutput: (request) => answered(dependencies, readingConsole(dependencies, request)),
    validateClass: (request) => answered(dependencies, validating(dependencies, request)),
    listInstances: (request) => answered(dependencies, listing(dependencies, request)),
    deleteListed: (request) => answered(dependencies, deletingListed(dependencies, request)),
    volumeIds: async ({ volumes }) => ({ volumeIds: await dependencies.driver.volumeIds(volumes) }),
    findOrphans: (request) => findOrphans(dependencies, request),
    checkFinally: (request) => checkFinally(dependencies, request),
    deleteOrphan: (request) => deleteOrphan(dependencies, request),
  };
}

/**
 * What a driver or a class refuses is an answer for the workflow, and so is an operation that goes
 * on, where it may; anything else is for Temporal to retry.
 */
async function answered<Answer, GoesOn = never>(
  dependencies: DriverDependencies,
  answer: Promise<Answer>,
  pending?: (error: DriverPending) => GoesOn,
): Promise<Answer | GoesOn | FailedInstanceCall> {
  try {
    return await answer;
  } catch (error) {
    if (pending && error instanceof DriverPending) return pending(error);
    return { outcome: 'failed', failure: classified(error, dependencies) };
  }
}

interface FailedInstanceCall {
  outcome: 'failed';
  failure: MachineFailure;
}

function pendingOf({ message, pollAfterSeconds, checkpoint }: DriverPending): Pending {
  return defined({ outcome: 'pending' as const, message, pollAfterSeconds, checkpoint });
}

async function creating(
  dependencies: DriverDependencies,
  request: DriverRequest,
): Promise<CreateOutcome> {
  const { driver } = dependencies;
  const [machineRequest, resolved] = await beforeCreate(resolve(dependencies, request));
  const made = await beforeCreate(userDataOf(dependencies, request, resolved));
  const { labels, taints, annotations } = request.nodeTemplate ?? {};
  const create = (): ReturnType<Driver['createInstance']> =>
    driver.createInstance({
      ...machineRequest,
      ...asSent(made.userData),
      ...(made.hidden && { hidden: made.hidden }),
      ...(labels && { nodeLabels: labels }),
      ...(taints && { nodeTaints: taints }),
      ...(annotations && { nodeAnnotations: annotations }),
    });
  const onTaken = tellTaken('requestInstance', dependencies, request);
  const [instance, asked] = await askingCloud(create, onTaken);
  const { found, isInitialized, ...facts } = instance;
  const { providerID, nodeName } = facts;
  const verb = found ? 'adoptInstance' : 'createInstance';
  const line = { ...machineOf(request), providerID, nodeName, ...asked };
  auditInstance(dependencies.audit, verb, line);
  const failure = isInitialized
    ? undefined
    : await initialize(dependencies, { ...machineRequest, providerID });
  if (failure) return { outcome: 'failed', failure };
  const { origin } = made;
  const noted = origin !== undefined && { userDataOrigin: origin };
  return { outcome: 'created', instance: { ...facts, isFound: found, ...noted } };
}

/**
 * The instance exists by now, so whatever fails here leaves the create without a settled outcome.
 */
async function initialize(
  dependencies: DriverDependencies,
  request: MachineRequest,
): Promise<MachineFailure | undefined> {
  try {
    await dependencies.driver.initializeInstance(request);
    return undefined;
  } catch (error) {
    if (error instanceof DriverPending) throw error;
    const failure = classified(error, dependencies);
    if (failure.code === 'Unimplemented') return undefined;
    return { ...failure, isSettled: false, during: 'initialization' };
  }
}

async function deleting(
  dependencies: DriverDependencies,
  request: DriverRequest,
): Promise<HeldDeleteOutcome> {
  const { driver } = dependencies;
  const machine = await requireDeletable(dependencies.control, request);
  const hold = holdOf(hooksIn(machine?.metadata.annotations), ['instance']);
  // Too late for a deletion that the cloud is at work on.
  if (hold && request.checkpoint === undefined) return heldBy(hold);
  const [machineRequest] = await resolve(dependencies, request);
  const call = (): ReturnType<Driver['deleteInstance']> => driver.deleteInstance(machineRequest);
  const onTaken = tellTaken('requestDeletion', dependencies, request);
  const [{ found }, asked] = await askingCloud(call, onTaken);
  if (found) auditDeletion(dependencies, { ...machineOf(request), ...asked });
  return { outcome: 'deleted', isFound: found, settleSeconds: driver.settleSeconds };
}

/** A workflow of an earlier version, which knows no hooks, tries again later. */
function heldBy(hold: Hold): HeldDeleteOutcome {
  const message = `the instance is not deleted: ${formatHold(hold)}`;
  const failure = { code: 'Unavailable', message, isSettled: false } as const;
  return { outcome: 'failed', failure, isHeld: true };
}

async function describing(
  dependencies: DriverDependencies,
  request: DriverRequest,
): Promise<DescribeOutcome> {
  const { driver } = dependencies;
  const [machineRequest] = await resolve(dependencies, { ...request, isRetry: true });
  const found = await describeUnlessClaimed(driver, machineRequest);
  if (!found) return { outcome: 'missing', settleSeconds: driver.settleSeconds };
  const { providerID, nodeName } = found;
  return { outcome: 'found', instance: { providerID, nodeName } };
}

/**
 * Undefined also for an instance that the driver refuses as not ours and that another Machine has:
 * the Machine that names it is a copy, and its deletion must not wait.
 */
async function describeUnlessClaimed(
  driver: Driver,
  request: MachineRequest,
): ReturnType<Driver['describeInstance']> {
  try {
    return await driver.describeInstance(request);
  } catch (error) {
    const isRefused = error instanceof DriverError && error.code === 'FailedPrecondition';
    const { providerID } = request;
    if (isRefused && providerID !== undefined && (await request.isClaimed(providerID))) return;
    throw error;
  }
}

/** Less than the workflow waits, so that the answer says what took so long. */
const consoleSeconds = 8;

/** The Secret is at hand here, so secrets are hidden here, before the output enters a history. */
async function readingConsole(
  dependencies: DriverDependencies,
  request: DriverRequest,
): Promise<ConsoleOutput> {
  const { driver, signal } = dependencies;
  if (!driver.getConsoleOutput) {
    const message = 'the driver cannot read the console of an instance';
    throw new DriverError({ code: 'Unimplemented', message, settled: true });
  }
  const limit = timeoutSignal(consoleSeconds * 1_000);
  const limited = { ...dependencies, signal: () => anySignal([signal(), limit]) };
  const [machineRequest, resolved] = await resolve(limited, { ...request, isRetry: true });
  try {
    const printed = await driver.getConsoleOutput(machineRequest);
    const text = keptOutput(printed, await printableSecret(limited, request, resolved));
    return { outcome: 'read', text };
  } catch (error) {
    if (!limit.aborted || signal().aborted) throw error;
    const message = `no answer within ${consoleSeconds} s`;
    throw new DriverError({ code: 'DeadlineExceeded', message, settled: true, cause: error });
  }
}

async function validating(
  dependencies: DriverDependencies,
  { className }: ClassRequest,
): Promise<ValidateOutcome> {
  const { machineClass } = await findClass(dependencies, className, { isFresh: true });
  const { providerSpec } = machineClass;
  const faults = dependencies.driver.validate(providerSpec);
  const warnings = dependencies.driver.warnings?.(providerSpec) ?? [];
  return { outcome: 'validated', faults, ...(warnings.length > 0 && { warnings }) };
}

async function listing(
  dependencies: DriverDependencies,
  request: ListRequest,
): Promise<ListOutcome> {
  const account = await accountOf(dependencies, request);
  return { outcome: 'listed', instances: await dependencies.driver.listInstances(account) };
}

async function deletingListed(
  dependencies: DriverDependencies,
  request: DeleteListedRequest,
): Promise<DeleteListedOutcome> {
  const { driver } = dependencies;
  await requireUnclaimed(dependencies.control, request);
  const account = await accountOf(dependencies, request);
  const { namespace, providerID, className } = request;
  const call = (): ReturnType<Driver['deleteListed']> =>
    driver.deleteListed({ ...account, providerID });
  const [{ found }, asked] = await askingCloud(call);
  if (found) auditListedDeletion(dependencies, { namespace, providerID, className, ...asked });
  return { outcome: 'deleted', isFound: found, settleSeconds: driver.settleSeconds };
}

async function accountOf(
  dependencies: DriverDependencies,
  { className, cluster, namespace }: ListRequest,
): Promise<Parameters<Driver['listInstances']>[0]> {
  const { machineClass, secret } = await readClass(dependencies, className, { isFresh: true });
  const { providerSpec } = machineClass;
  return { cluster, namespace, providerSpec, secret, signal: dependencies.signal() };
}

/** A request that the cloud took and is at work on gets a line of its own: it has its own id. */
function tellTaken(
  verb: InstanceVerb,
  { audit }: DriverDependencies,
  request: DriverRequest,
): (asked: AnsweredRequest) => void {
  return (asked) => auditInstance(audit, verb, { ...machineOf(request), ...asked });
}

function machineOf({ machine, providerID }: DriverRequest) {
  return defined({ machine, providerID });
}

/** Class and Secrets are read here, so that what they hold never enters a history. */
async function resolve(
  dependencies: DriverDependencies,
  request: DriverRequest,
): Promise<[MachineRequest, ClassWithSecret]> {
  const { control, signal } = dependencies;
  const { machine, className, cluster, token } = request;
  const resolved = await readClass(dependencies, className, { isFresh: request.isRetry });
  const { machineClass, secret } = resolved;
  const machineRequest = {
    cluster,
    machine,
    token,
    providerSpec: machineClass.providerSpec,
    secret,
    ...(request.providerID !== undefined && { providerID: request.providerID }),
    ...(request.lastKnownState !== undefined && { lastKnownState: request.lastKnownState }),
    ...(request.checkpoint !== undefined && { checkpoint: request.checkpoint }),
    isClaimed: (providerID: string) => isClaimed(control, machine, providerID),
    signal: signal(),
  };
  return [machineRequest, resolved];
}

async function readClass(
  dependencies: DriverDependencies,
  className: string,
  options: { isFresh: boolean },
): Promise<ClassWithSecret> {
  const resolved = await findClass(dependencies, className, options);
  const { namespace = '' } = resolved.machineClass.metadata;
  const message = refusalOf(resolved, namespace);
  if (message === undefined) return resolved;
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
}

async function findClass(
  { classes }: DriverDependencies,
  className: string,
  options: { isFresh: boolean },
): Promise<ClassWithSecret> {
  const resolved = await classes.read(className, options);
  if (resolved) return resolved;
  const message = `MachineClass "${className}" does not exist: create it again, its Machines need it`;
  throw new DriverError({ code: 'InvalidArgument', message, settled: false });
}

/** A classified error is an answer for the workflow; anything else is for Temporal to retry. */
function classified(error: unknown, dependencies: DriverDependencies): MachineFailure {
  const { signal, isShuttingDown, isFirstAttempt = () => false } = dependencies;
  if (!(error instanceof DriverError)) throw error;
  // Temporal gives it to the next worker.
  if (error.code === 'Canceled' && signal().aborted && isShuttingDown()) throw error;
  const { code, message, kind, settled, retryAfterSeconds } = error;
  return {
    code,
    message,
    isSettled: settled,
    // An attempt before this one may have sent something, and died.
    ...(!settled && isFirstAttempt() && wasUnsent(error) && { isUnsent: true }),
    ...(kind !== undefined && { kind }),
    // A cloud that answers so by itself has failed like any other.
    ...(code === 'Canceled' && signal().aborted && { wasCancelled: true }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
