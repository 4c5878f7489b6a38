/** The driver of `provider: GCP`: instances of Google Compute Engine, as Gardener's driver makes them. */
import type {
  DeleteListedRequest,
  Driver,
  Instance,
  ListRequest,
  MachineRequest,
} from '../driver.ts';
import type { DriverSettings } from '../settings.ts';
import { createAccounts } from './account.ts';
import type { Accounts } from './account.ts';
import { fault } from './compute-error.ts';
import { createInstance } from './create.ts';
import { remove } from './delete.ts';
import { instanceOf, listed } from './instance.ts';
import { listZone } from './list.ts';
import type { PatienceOptions } from './patience.ts';
import { belongsTo, findAll, findOne, placeOfProviderID, requireZone, tagsOf } from './search.ts';
import { haveSameSearchTags, searchTagsOf } from './tags.ts';
import { validateProviderSpec } from './validate.ts';
import { volumeIdOf } from './volumes.ts';

export interface GcpDriverLimits {
  /** Of one request, apart from waiting for an operation. Default 30. */
  callTimeoutSeconds?: number;
  /** Of all waiting within one call of the driver. Default 240. */
  waitSeconds?: number;
  /** Between two looks; it doubles. Default 1. */
  firstPauseSeconds?: number;
}

/** Google lists what an insert made as soon as it has answered; an insert may be on its way for as long as a call may take. */
const settleSeconds = 30;

interface World {
  accounts: Accounts;
  patience: PatienceOptions;
}

export function createGcpDriver(settings: DriverSettings, limits: GcpDriverLimits = {}): Driver {
  const { callTimeoutSeconds = 30, waitSeconds = 240, firstPauseSeconds = 1 } = limits;
  const accounts = createAccounts(settings, { callTimeoutSeconds });
  const world = { accounts, patience: { limitSeconds: waitSeconds, firstPauseSeconds } };
  return {
    settleSeconds,
    createInstance: async (request) =>
      await createInstance(await accounts(request), request, world.patience),
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

async function describeInstance(
  { accounts }: World,
  request: MachineRequest,
): Promise<Instance | undefined> {
  const found = await findOne(await accounts(request), request);
  return found?.isOwn ? instanceOf(found.instance) : undefined;
}

async function deleteInstance(
  { accounts, patience: options }: World,
  request: MachineRequest,
): Promise<{ found: boolean }> {
  const account = await accounts(request);
  const instances = await findAll(account, request);
  const removal = { account, signal: request.signal, options };
  await Promise.all(instances.map((instance) => remove(removal, instance)));
  return { found: instances.length > 0 };
}

async function ownInstances(
  { accounts }: World,
  request: ListRequest,
): ReturnType<typeof listZone> {
  const zone = requireZone(request);
  requireTags(request.providerSpec);
  const instances = await listZone(await accounts(request), zone, request.signal);
  const tags = tagsOf(request.providerSpec);
  return instances.filter(
    (instance) => haveSameSearchTags(instance.tags, tags) && belongsTo(request, instance),
  );
}

async function deleteListed(
  { accounts, patience: options }: World,
  request: DeleteListedRequest,
): Promise<{ found: boolean }> {
  const account = await accounts(request);
  const place = placeOfProviderID(request.providerID);
  const instance = await account.compute.get(place, request.signal);
  if (!instance || !belongsTo(request, instance)) return { found: false };
  await remove({ account, signal: request.signal, options }, instance);
  return { found: true };
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
  return [region, zone, tags?.cluster, tags?.role].map(String).join(' ');
}
