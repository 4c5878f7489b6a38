/** The driver's activities: resolve what the request names, call the cloud, say what came of it. */
import type {
  ClassRequest,
  CreateOutcome,
  DeleteListedRequest,
  DeleteListedOutcome,
  DriverActivities,
  DriverRequest,
  ListOutcome,
  ListRequest,
  Pending,
  ValidateOutcome,
} from '../workflows/contracts/driver-activities.ts';
import type { DescribeOutcome } from '../workflows/contracts/missing-instance-activities.ts';
import type { OrphanActivities } from '../workflows/contracts/safety-activities.ts';
import { defined } from '../workflows/values/defined.ts';
import type { MachineFailure } from '../workflows/plan/machine/facts.ts';
import { readBootstrapToken } from './machine/bootstrap-token.ts';
import type { ClassReader, ClassWithSecret } from './machine-class/reader.ts';
import { userDataIn } from './machine-class/reader.ts';
import { isClaimed, requireDeletable, requireUnclaimed } from './machine/deletable.ts';
import type { Driver, MachineRequest } from './drivers/driver.ts';
import { DriverError, DriverPending } from './drivers/driver.ts';
import type { Guard } from './gates.ts';
import { gated } from './gates.ts';
import type { KubeClient } from './kube/client/client.ts';
import { ignoreNotFound } from './kube/client/ignore.ts';
import { refusalOf } from './machine-class/faults.ts';
import { deleteOrphan } from './safety/orphans/delete-orphan.ts';
import { findOrphans } from './safety/orphans/find-orphans.ts';
import { checkFinally } from './safety/orphans/final-check.ts';
import { asSent, fillUserData, type UserData } from './machine-class/user-data.ts';

/** What a driver's activities act on. They write nothing to Kubernetes. */
export interface DriverDependencies {
  driver: Driver;
  control: KubeClient;
  target?: KubeClient;
  classes: ClassReader;
  /** Aborts the call when the activity is cancelled. */
  signal(): AbortSignal;
  /** It is cancelled because this process ends: another one goes on with it. */
  isShuttingDown(): boolean;
  guard: Guard;
}

export function createDriverActivities(
  world: DriverDependencies,
): DriverActivities & OrphanActivities {
  return gated(driverActivities(world), world.guard);
}

function driverActivities(world: DriverDependencies): DriverActivities & OrphanActivities {
  return {
    createInstance: (request) => orFailed(world, orPending(creating(world, request))),
    deleteInstance: (request) => orFailed(world, orPending(deleting(world, request))),
    describeInstance: (request) => orFailed(world, describing(world, request)),
    validateClass: (request) => orFailed(world, validating(world, request)),
    listInstances: (request) => orFailed(world, listing(world, request)),
    deleteListed: (request) => orFailed(world, deletingListed(world, request)),
    volumeIds: async ({ volumes }) => ({ volumeIds: await world.driver.volumeIds(volumes) }),
    findOrphans: (request) => findOrphans(world, request),
    checkFinally: (request) => checkFinally(world, request),
    deleteOrphan: (request) => deleteOrphan(world, request),
  };
}

/**
 * What a driver or a class refuses is an answer for the workflow; anything else is for Temporal to
 * retry.
 */
async function orFailed<Answer>(
  world: DriverDependencies,
  answer: Promise<Answer>,
): Promise<Answer | Failed> {
  try {
    return await answer;
  } catch (error) {
    return { outcome: 'failed', failure: classified(error, world) };
  }
}

interface Failed {
  outcome: 'failed';
  failure: MachineFailure;
}

async function orPending<Answer>(answer: Promise<Answer>): Promise<Answer | Pending> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof DriverPending)) throw error;
    const { message, pollAfterSeconds, checkpoint } = error;
    return defined({ outcome: 'pending' as const, message, pollAfterSeconds, checkpoint });
  }
}

async function creating(world: DriverDependencies, request: DriverRequest): Promise<CreateOutcome> {
  const { driver } = world;
  const { binary, ...machineRequest } = await resolve(world, request);
  const template = userDataIn({ secret: machineRequest.secret, ...(binary && { binary }) }) ?? '';
  const userData = await userDataOf(world, request, template);
  const { labels, taints, annotations } = request.nodeTemplate ?? {};
  const instance = await driver.createInstance({
    ...machineRequest,
    ...asSent(userData),
    ...(labels && { nodeLabels: labels }),
    ...(taints && { nodeTaints: taints }),
    ...(annotations && { nodeAnnotations: annotations }),
  });
  const { found, isInitialized, ...facts } = instance;
  const { providerID } = facts;
  const failure = isInitialized
    ? undefined
    : await initialize(world, { ...machineRequest, providerID });
  if (failure) return { outcome: 'failed', failure };
  return { outcome: 'created', instance: { ...facts, isFound: found } };
}

/**
 * The instance exists by now, so whatever fails here leaves the create without a settled outcome.
 */
async function initialize(
  world: DriverDependencies,
  request: MachineRequest,
): Promise<MachineFailure | undefined> {
  try {
    await world.driver.initializeInstance(request);
    return undefined;
  } catch (error) {
    if (error instanceof DriverPending) throw error;
    const failure = classified(error, world);
    if (failure.code === 'Unimplemented') return undefined;
    return { ...failure, isSettled: false, during: 'initialization' };
  }
}

async function deleting(
  world: DriverDependencies,
  request: DriverRequest,
): Promise<DeleteListedOutcome> {
  const { driver } = world;
  await requireDeletable(world.control, request);
  const machineRequest = await resolve(world, request);
  const { found } = await driver.deleteInstance(machineRequest);
  return { outcome: 'deleted', isFound: found, settleSeconds: driver.settleSeconds };
}

async function describing(
  world: DriverDependencies,
  request: DriverRequest,
): Promise<DescribeOutcome> {
  const { driver } = world;
  const machineRequest = await resolve(world, { ...request, isRetry: true });
  const found = await driver.describeInstance(machineRequest);
  if (!found) return { outcome: 'missing', settleSeconds: driver.settleSeconds };
  const { providerID, nodeName } = found;
  return { outcome: 'found', instance: { providerID, nodeName } };
}

async function validating(
  world: DriverDependencies,
  { className }: ClassRequest,
): Promise<ValidateOutcome> {
  const { machineClass } = await findClass(world, className, { isFresh: true });
  const { providerSpec } = machineClass;
  const faults = world.driver.validate(providerSpec);
  const warnings = world.driver.warnings?.(providerSpec) ?? [];
  return { outcome: 'validated', faults, ...(warnings.length > 0 && { warnings }) };
}

async function listing(world: DriverDependencies, request: ListRequest): Promise<ListOutcome> {
  const account = await accountOf(world, request);
  return { outcome: 'listed', instances: await world.driver.listInstances(account) };
}

async function deletingListed(
  world: DriverDependencies,
  request: DeleteListedRequest,
): Promise<DeleteListedOutcome> {
  const { driver } = world;
  await requireUnclaimed(world.control, request);
  const account = await accountOf(world, request);
  const { found } = await driver.deleteListed({ ...account, providerID: request.providerID });
  return { outcome: 'deleted', isFound: found, settleSeconds: driver.settleSeconds };
}

async function accountOf(
  world: DriverDependencies,
  { className, cluster, namespace }: ListRequest,
): Promise<Parameters<Driver['listInstances']>[0]> {
  const { machineClass, secret } = await readClass(world, className, { isFresh: true });
  const { providerSpec } = machineClass;
  return { cluster, namespace, providerSpec, secret, signal: world.signal() };
}

/** Class and Secrets are read here, so that what they hold never enters a history. */
async function resolve(
  world: DriverDependencies,
  request: DriverRequest,
): Promise<MachineRequest & Pick<ClassWithSecret, 'binary'>> {
  const { control, signal } = world;
  const { machine, className, cluster, token } = request;
  const { machineClass, secret, binary } = await readClass(world, className, {
    isFresh: request.isRetry,
  });
  return {
    cluster,
    machine,
    token,
    providerSpec: machineClass.providerSpec,
    secret,
    ...(binary && { binary }),
    ...(request.providerID !== undefined && { providerID: request.providerID }),
    ...(request.lastKnownState !== undefined && { lastKnownState: request.lastKnownState }),
    ...(request.checkpoint !== undefined && { checkpoint: request.checkpoint }),
    isClaimed: (providerID) => isClaimed(control, machine, providerID),
    signal: signal(),
  };
}

async function readClass(
  world: DriverDependencies,
  className: string,
  options: { isFresh: boolean },
): Promise<ClassWithSecret> {
  const resolved = await findClass(world, className, options);
  const { namespace = '' } = resolved.machineClass.metadata;
  const message = refusalOf(resolved, namespace);
  if (message === undefined) return resolved;
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
}

async function findClass(
  { classes }: DriverDependencies,
  className: string,
  options: { isFresh: boolean },
): Promise<ClassWithSecret> {
  const resolved = await classes.read(className, options);
  if (resolved) return resolved;
  const message = `MachineClass "${className}" does not exist: create it again, its Machines need it`;
  throw new DriverError({ code: 'InvalidArgument', message, settled: true });
}

/**
 * Filled in; it holds credentials. Only a create needs it: the token is gone once the machine ran.
 */
async function userDataOf(
  { target }: DriverDependencies,
  { machine, bootstrapTokenId }: DriverRequest,
  template: UserData,
): Promise<UserData> {
  const machineName = machine.name;
  if (!target || bootstrapTokenId === undefined) return fillUserData(template, { machineName });
  const bootstrapToken = await ignoreNotFound(readBootstrapToken(target, bootstrapTokenId));
  if (bootstrapToken === undefined) {
    // The next attempt makes it again.
    const message = `the bootstrap token ${bootstrapTokenId} was deleted before it was used`;
    throw new DriverError({ code: 'Unavailable', message, settled: true });
  }
  return fillUserData(template, { machineName, bootstrapToken });
}

/** A classified error is an answer for the workflow; anything else is for Temporal to retry. */
function classified(
  error: unknown,
  { signal, isShuttingDown }: DriverDependencies,
): MachineFailure {
  if (!(error instanceof DriverError)) throw error;
  // Temporal gives it to the next worker.
  if (error.code === 'Canceled' && signal().aborted && isShuttingDown()) throw error;
  const { code, message, kind, settled, retryAfterSeconds } = error;
  return {
    code,
    message,
    isSettled: settled,
    ...(kind !== undefined && { kind }),
    // A cloud that answers so by itself has failed like any other.
    ...(code === 'Canceled' && signal().aborted && { wasCancelled: true }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
