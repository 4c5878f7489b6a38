/** The driver of `provider: GCP`: instances of Google Compute Engine, as Gardener's driver makes them. */
import type {
  DeleteListedRequest,
  Driver,
  Instance,
  ListRequest,
  MachineRequest,
} from '../driver.ts';
import { DriverPending } from '../driver.ts';
import type { DriverSettings } from '../settings.ts';
import { createAccounts } from './client.ts';
import type { Accounts } from './client.ts';
import { deletionNotesIn } from './checkpoint.ts';
import { fault } from './error-mapping.ts';
import type { ComputeInstance } from './compute.ts';
import { createInstance } from './create.ts';
import type { CreationOptions } from './creation.ts';
import { lookFor, remove, removeAll } from './delete.ts';
import type { Removal } from './delete.ts';
import { instanceOf, listed } from './instance-view.ts';
import { listZone } from './list.ts';
import type { PatienceOptions } from './patience.ts';
import { belongsTo, findAll, findOne, placeOfProviderID, requireZone, tagsOf } from './find.ts';
import { haveSameSearchTags, searchTagsOf } from './tags.ts';
import { validateProviderSpec } from './validate.ts';
import { volumeIdOf } from './volumes.ts';

export interface GcpDriverLimits {
  /** Of one request, apart from waiting for an operation. Default 30. */
  callTimeoutSeconds?: number;
  /** Of all waiting within one create or delete; what is not done then is `pending`. Default 4. */
  waitSeconds?: number;
  /** The same for the deletion of an orphan, which is never pending. Default 240. */
  orphanWaitSeconds?: number;
  /** So long after it came up a spot instance is looked at once more. 0: not at all. Default 10. */
  confirmSeconds?: number;
  /** Between two looks; it doubles. Default 1. */
  firstPauseSeconds?: number;
}

/** Google lists what an insert made as soon as it has answered; an insert may be on its way for as long as a call may take. */
const settleSeconds = 30;

interface World {
  accounts: Accounts;
  creation: CreationOptions;
  /** For the deletion of an orphan. */
  orphans: PatienceOptions;
}

export function createGcpDriver(settings: DriverSettings, limits: GcpDriverLimits = {}): Driver {
  const world = worldOf(settings, limits);
  const { accounts } = world;
  return {
    prepare: () => accounts.prepare(),
    settleSeconds,
    createInstance: async (request) =>
      await createInstance(await accounts.of(request), request, world.creation),
    describeInstance: (request) => describeInstance(world, request),
    async initializeInstance(request) {
      const instance = await describeInstance(world, request);
      if (instance) return instance;
      const { providerID, machine } = request;
      throw fault(
        'missing',
        `instance ${providerID ?? `of machine ${machine.name}`} does not exist`,
      );
    },
    deleteInstance: (request) => deleteInstance(world, request),
    async listInstances(request) {
      const own = await ownInstances(world, request);
      return own.map(listed).toSorted((a, b) => (a.providerID < b.providerID ? -1 : 1));
    },
    listScope,
    deleteListed: (request) => deleteListed(world, request),
    volumeIds: async (specs) => specs.flatMap(volumeIdOf),
    validate: validateProviderSpec,
  };
}

function worldOf(settings: DriverSettings, limits: GcpDriverLimits): World {
  const { callTimeoutSeconds = 30, waitSeconds = 4, firstPauseSeconds = 1 } = limits;
  const { orphanWaitSeconds = 240, confirmSeconds = 10 } = limits;
  const { allowsRetagging = false } = settings;
  return {
    accounts: createAccounts(settings, { callTimeoutSeconds }),
    creation: { limitSeconds: waitSeconds, firstPauseSeconds, confirmSeconds, allowsRetagging },
    orphans: { limitSeconds: orphanWaitSeconds, firstPauseSeconds },
  };
}

async function describeInstance(
  { accounts }: World,
  request: MachineRequest,
): Promise<Instance | undefined> {
  const found = await findOne(await accounts.of(request), request);
  return found?.isOwn ? instanceOf(found.instance) : undefined;
}

async function deleteInstance(
  { accounts, creation: options }: World,
  request: MachineRequest,
): Promise<{ found: boolean }> {
  const account = await accounts.of(request);
  const instances = await lookFor(findAll(account, request), request);
  const { signal, checkpoint } = request;
  await removeAll({ account, signal, options, checkpoint }, instances);
  return { found: instances.length > 0 || deletionNotesIn(checkpoint).size > 0 };
}

async function ownInstances(
  { accounts }: World,
  request: ListRequest,
): ReturnType<typeof listZone> {
  const zone = requireZone(request);
  requireTags(request.providerSpec);
  const instances = await listZone(await accounts.of(request), zone, request.signal);
  const tags = tagsOf(request.providerSpec);
  return instances.filter(
    (instance) => haveSameSearchTags(instance.tags, tags) && belongsTo(request, instance),
  );
}

async function deleteListed(
  { accounts, orphans: options }: World,
  request: DeleteListedRequest,
): Promise<{ found: boolean }> {
  const account = await accounts.of(request);
  const place = placeOfProviderID(request.providerID);
  const instance = await account.compute.get(place, request.signal);
  if (!instance || !belongsTo(request, instance)) return { found: false };
  await removeInOneCall({ account, signal: request.signal, options }, instance);
  return { found: true };
}

/** The contract has no `pending` for an orphan: whoever comes next finds what is left. */
async function removeInOneCall(removal: Removal, instance: ComputeInstance): Promise<void> {
  try {
    await remove(removal, instance);
  } catch (error) {
    if (error instanceof DriverPending) throw fault('unanswered', error.message);
    throw error;
  }
}

/** A listing by tags that the class does not have would be empty, and say that all is gone. */
function requireTags(providerSpec: unknown): void {
  if (searchTagsOf(tagsOf(providerSpec))) return;
  const message =
    'providerSpec.tags: the two tags of cluster and role are missing: without them no instance can be listed';
  throw fault('input', message);
}

/** The project is that of the credentials. */
function listScope(providerSpec: unknown): string {
  const { zone, region } = Object(providerSpec);
  const tags = searchTagsOf(tagsOf(providerSpec));
  return JSON.stringify([region, zone, tags?.cluster, tags?.role]);
}
