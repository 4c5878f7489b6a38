/** The driver's activities: resolve what the request names, call the cloud, say what came of it. */
import type {
  ClassRequest,
  CreateOutcome,
  DeleteListedRequest,
  DeleteOutcome,
  DescribeOutcome,
  DriverActivities,
  DriverRequest,
  LifeRef,
  ListOutcome,
  ListRequest,
  OrphanActivities,
  ValidateOutcome,
} from '../workflows/activities.ts';
import type { Machine } from '../workflows/api/machine.ts';
import type { MachineFailure } from '../workflows/plan/machine.ts';
import { readBootstrapToken } from './bootstrap-token.ts';
import type { ClassReader, ClassWithSecret } from './class-reader.ts';
import type { Driver, MachineRequest } from './drivers/driver.ts';
import { DriverError } from './drivers/driver.ts';
import type { KubeClient } from './kube/client.ts';
import { orUndefined } from './kube/optional.ts';
import { customResource } from './kube/paths.ts';
import { refusalOf } from './machine-class/faults.ts';
import { deleteOrphan } from './safety/delete-orphan.ts';
import { lookForOrphans } from './safety/look-for-orphans.ts';
import { lookLast } from './safety/look-last.ts';
import { fillUserData } from './user-data.ts';

/** What a driver's activities act on. They write nothing to Kubernetes. */
export interface DriverWorld {
  driver: Driver;
  control: KubeClient;
  target?: KubeClient;
  classes: ClassReader;
  /** Aborts the call when the activity is cancelled. */
  signal(): AbortSignal;
  /** Fails while nothing may be created or destroyed. `machine`: whom it keeps waiting. */
  requireLicence(machine?: LifeRef): Promise<void>;
}

export function createDriverActivities(world: DriverWorld): DriverActivities & OrphanActivities {
  return {
    async createInstance(request) {
      await world.requireLicence(request.machine);
      return await orFailed(world, creating(world, request));
    },
    async deleteInstance(request) {
      await world.requireLicence(request.machine);
      return await orFailed(world, deleting(world, request));
    },
    describeInstance: (request) => orFailed(world, describing(world, request)),
    validateClass: (request) => orFailed(world, validating(world, request)),
    listInstances: (request) => orFailed(world, listing(world, request)),
    async deleteListed(request) {
      await world.requireLicence();
      return await orFailed(world, deletingListed(world, request));
    },
    volumeIds: async ({ volumes }) => ({ volumeIds: await world.driver.volumeIds(volumes) }),
    lookForOrphans: (request) => lookForOrphans(world, request),
    lookLast: (request) => lookLast(world, request),
    async deleteOrphan(request) {
      await world.requireLicence();
      return await deleteOrphan(world, request);
    },
  };
}

/** What a driver or a class refuses is an answer for the workflow; anything else is for Temporal to retry. */
async function orFailed<Answer>(
  world: DriverWorld,
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

async function creating(world: DriverWorld, request: DriverRequest): Promise<CreateOutcome> {
  const { driver } = world;
  const machineRequest = await resolve(world, request);
  const userData = await userDataOf(world, request, machineRequest.secret['userData'] ?? '');
  const { labels, taints } = request.nodeTemplate ?? {};
  const instance = await driver.createInstance({
    ...machineRequest,
    userData,
    ...(labels && { nodeLabels: labels }),
    ...(taints && { nodeTaints: taints }),
  });
  const { found, isInitialized, ...facts } = instance;
  const { providerID } = facts;
  const failure = isInitialized
    ? undefined
    : await initialize(world, { ...machineRequest, providerID });
  if (failure) return { outcome: 'failed', failure };
  return { outcome: 'created', instance: { ...facts, isFound: found } };
}

/** The instance exists by now, so whatever fails here leaves the create without a settled outcome. */
async function initialize(
  world: DriverWorld,
  request: MachineRequest,
): Promise<MachineFailure | undefined> {
  try {
    await world.driver.initializeInstance(request);
    return undefined;
  } catch (error) {
    const failure = classified(error, world);
    if (failure.code === 'Unimplemented') return undefined;
    return { ...failure, isSettled: false, during: 'initialization' };
  }
}

async function deleting(world: DriverWorld, request: DriverRequest): Promise<DeleteOutcome> {
  const { driver } = world;
  const machineRequest = await resolve(world, request);
  const { found } = await driver.deleteInstance(machineRequest);
  return { outcome: 'deleted', isFound: found, settleSeconds: driver.settleSeconds };
}

async function describing(world: DriverWorld, request: DriverRequest): Promise<DescribeOutcome> {
  const { driver } = world;
  const machineRequest = await resolve(world, { ...request, isRetry: true });
  const found = await driver.describeInstance(machineRequest);
  if (!found) return { outcome: 'missing', settleSeconds: driver.settleSeconds };
  const { providerID, nodeName } = found;
  return { outcome: 'found', instance: { providerID, nodeName } };
}

async function validating(
  world: DriverWorld,
  { className }: ClassRequest,
): Promise<ValidateOutcome> {
  const { machineClass } = await findClass(world, className, { isFresh: true });
  return { outcome: 'validated', faults: world.driver.validate(machineClass.providerSpec) };
}

async function listing(world: DriverWorld, request: ListRequest): Promise<ListOutcome> {
  const account = await accountOf(world, request);
  return { outcome: 'listed', instances: await world.driver.listInstances(account) };
}

async function deletingListed(
  world: DriverWorld,
  request: DeleteListedRequest,
): Promise<DeleteOutcome> {
  const { driver } = world;
  const account = await accountOf(world, request);
  const { found } = await driver.deleteListed({ ...account, providerID: request.providerID });
  return { outcome: 'deleted', isFound: found, settleSeconds: driver.settleSeconds };
}

async function accountOf(
  world: DriverWorld,
  { className, cluster, namespace }: ListRequest,
): Promise<Parameters<Driver['listInstances']>[0]> {
  const { machineClass, secret } = await readClass(world, className, { isFresh: true });
  const { providerSpec } = machineClass;
  return { cluster, namespace, providerSpec, secret, signal: world.signal() };
}

/** Class and Secrets are read here, so that what they hold never enters a history. */
async function resolve(world: DriverWorld, request: DriverRequest): Promise<MachineRequest> {
  const { control, signal } = world;
  const { machine, className, cluster, token } = request;
  const { machineClass, secret } = await readClass(world, className, { isFresh: request.isRetry });
  return {
    cluster,
    machine,
    token,
    providerSpec: machineClass.providerSpec,
    secret,
    ...(request.providerID !== undefined && { providerID: request.providerID }),
    ...(request.lastKnownState !== undefined && { lastKnownState: request.lastKnownState }),
    isClaimed: (providerID) => isClaimed(control, machine, providerID),
    signal: signal(),
  };
}

async function readClass(
  world: DriverWorld,
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
  { classes }: DriverWorld,
  className: string,
  options: { isFresh: boolean },
): Promise<ClassWithSecret> {
  const resolved = await classes.read(className, options);
  if (resolved) return resolved;
  const message = `MachineClass "${className}" does not exist: create it again, its Machines need it`;
  throw new DriverError({ code: 'InvalidArgument', message, settled: true });
}

/** Filled in; it holds credentials. Only a create needs it: the token is gone once the machine ran. */
async function userDataOf(
  { target }: DriverWorld,
  { machine, bootstrapTokenId }: DriverRequest,
  template: string,
): Promise<string> {
  const machineName = machine.name;
  if (!target || bootstrapTokenId === undefined) return fillUserData(template, { machineName });
  const bootstrapToken = await orUndefined(readBootstrapToken(target, bootstrapTokenId));
  if (bootstrapToken === undefined) {
    // The next attempt makes it again.
    const message = `the bootstrap token ${bootstrapTokenId} was deleted before it was used`;
    throw new DriverError({ code: 'Unavailable', message, settled: true });
  }
  return fillUserData(template, { machineName, bootstrapToken });
}

/** A VM that was found by its name alone may belong to another Machine. */
async function isClaimed(
  control: KubeClient,
  machine: { namespace: string; name: string },
  providerID: string,
): Promise<boolean> {
  const { items } = await control.list<Machine>(customResource('machines', machine.namespace));
  return items.some(
    ({ metadata, spec }) => spec.providerID === providerID && metadata.name !== machine.name,
  );
}

/** A classified error is an answer for the workflow; anything else is for Temporal to retry. */
function classified(error: unknown, { signal }: DriverWorld): MachineFailure {
  if (!(error instanceof DriverError)) throw error;
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
