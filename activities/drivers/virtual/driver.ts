/** The driver of `provider: virtual`: machines of the virtual cloud. */
import { createHash } from 'node:crypto';
import { beforeCreate } from '../before-create.ts';
import { DriverError } from '../driver.ts';
import type {
  CreatedInstance,
  CreateRequest,
  Driver,
  Instance,
  ListedInstance,
  MachineRequest,
  PersistentVolumeSpec,
} from '../driver.ts';
import { missing, notOurs } from '../named-instance.ts';
import { invalidSpec } from '../spec-schema.ts';
import { withDefaults } from './provider-spec.ts';
import { validateProviderSpec } from './validate.ts';
import { createVirtualCloudClient } from './client.ts';
import type {
  CloudInstance,
  CloudInstanceRequest,
  Transport,
  VirtualCloudClient,
} from './client.ts';

export interface VirtualDriverOptions {
  /** The virtual cloud's address. Default `http://127.0.0.1:7080`. */
  url?: string | undefined;
  /** Limit of one call. Default 30. */
  callTimeoutSeconds?: number;
  /** Default HTTP. */
  transport?: Transport | undefined;
}

const tagNames = {
  cluster: 'millwright.dev/cluster',
  namespace: 'millwright.dev/namespace',
  machineUid: 'millwright.dev/machine-uid',
} as const;

/** CSI driver of volumes in the virtual cloud. */
const csiDriver = 'virtual-cloud.millwright.dev';

/** The virtual cloud lists at once what it made; this covers a request that is still on its way. */
const settleSeconds = 1;

export function createVirtualDriver(options: VirtualDriverOptions = {}): Driver {
  const cloud = createVirtualCloudClient({
    url: parseUrl(options.url ?? 'http://127.0.0.1:7080'),
    callTimeoutSeconds: options.callTimeoutSeconds ?? 30,
    transport: options.transport,
  });
  return {
    settleSeconds,
    createInstance: (request) => createInstance(cloud, request),
    async describeInstance(request) {
      const found = await findOne(cloud, request);
      return found && instanceOf(found);
    },
    async getConsoleOutput(request) {
      const found = await findOne(cloud, request);
      if (!found) throw missing(request);
      return await cloud.console(found.id, request.signal);
    },
    async initializeInstance(request) {
      const found = await findOne(cloud, request);
      if (!found) throw missing(request);
      if (found.isInitialized) return instanceOf(found);
      return instanceOf(await cloud.initialize(found.id, request.signal));
    },
    deleteInstance: (request) => deleteInstance(cloud, request),
    async listInstances(request) {
      const instances = await cloud.list({ tags: tagsOf(request) }, request.signal);
      return instances.map(listed).toSorted((a, b) => (a.providerID < b.providerID ? -1 : 1));
    },
    // One listing shows all zones.
    listScope: () => '',
    async deleteListed(request) {
      const found = await describe(cloud, request.providerID, request.signal);
      const isOurs = found && hasAll(found.tags, tagsOf(request));
      return { found: isOurs ? await cloud.delete(found.id, request.signal) : false };
    },
    volumeIds: async (specs) => specs.flatMap(volumeIdOf),
    validate: validateProviderSpec,
  };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(
    `MILLWRIGHT_VIRTUAL_CLOUD: "${text}" is not a URL of the form http://127.0.0.1:7080`,
  );
}

/**
 * The search goes before the checks: an instance that exists is found whatever became of its class.
 */
async function createInstance(
  cloud: VirtualCloudClient,
  request: CreateRequest,
): Promise<CreatedInstance> {
  const existing = await beforeCreate(findOne(cloud, request));
  if (existing) return { ...instanceOf(existing), found: true };
  if (request.providerID !== undefined) throw missing(request);
  const faults = validateProviderSpec(request.providerSpec);
  if (faults.length > 0) {
    const message = invalidSpec(faults);
    throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
  }
  const { instance, known } = await cloud.create(cloudRequestOf(request), request.signal);
  if (instance.state !== 'deleted') return { ...instanceOf(instance), found: known };
  throw new DriverError({
    code: 'Aborted',
    message: `instance ${instance.id} of this attempt was deleted in the cloud`,
    settled: true,
  });
}

/**
 * Depends on nothing but the request: the cloud refuses a token that comes back with another
 * request.
 */
function cloudRequestOf(request: CreateRequest): CloudInstanceRequest {
  const { machine, cluster, token, nodeLabels, nodeTaints = [] } = request;
  const { userData, userDataBytes } = request;
  const spec = withDefaults(request.providerSpec);
  return {
    name: machine.name,
    token,
    zone: spec.zone,
    size: spec.size,
    spec: request.providerSpec ?? {},
    tags: {
      ...spec.tags,
      ...tagsOf({ cluster, namespace: machine.namespace }),
      [tagNames.machineUid]: machine.uid,
    },
    userDataDigest: createHash('sha256')
      .update(userDataBytes ?? userData)
      .digest('hex'),
    labels: { ...spec.labels, ...nodeLabels },
    annotations: spec.annotations,
    taints: [...spec.taints, ...nodeTaints],
    needsInitialization: spec.needsInitialization,
  };
}

async function deleteInstance(
  cloud: VirtualCloudClient,
  request: MachineRequest,
): Promise<{ found: boolean }> {
  const { machine, providerID, signal } = request;
  const named = await cloud.list({ name: machine.name }, signal);
  const isAmongThem = named.some((instance) => instance.providerID === providerID);
  const byId =
    providerID === undefined || isAmongThem ? undefined : await describe(cloud, providerID, signal);
  const owned = await Promise.all(
    [...named, ...(byId ? [byId] : [])].map(async (instance) =>
      (await isOwned(instance, request)) ? [instance] : [],
    ),
  );
  const deleted = await Promise.all(owned.flat().map(({ id }) => cloud.delete(id, signal)));
  return { found: deleted.includes(true) };
}

async function isOwned(instance: CloudInstance, request: MachineRequest): Promise<boolean> {
  if (instance.token === request.token) return true;
  const isNamed = instance.providerID === request.providerID;
  if (!isNamed && !belongsTo(instance, request)) return false;
  if (await request.isClaimed(instance.providerID)) return false;
  if (isNamed && !isMadeFor(instance, request)) throw notOurs(request);
  return true;
}

/**
 * True when Millwright made it for this Machine, under any cluster id, or MCM did: its instances
 * have the tags of their class.
 */
function isMadeFor({ name, tags }: CloudInstance, request: MachineRequest): boolean {
  const { machine, providerSpec } = request;
  if (tags[tagNames.cluster] === undefined) return hasAll(tags, withDefaults(providerSpec).tags);
  const isOfMachine = tags[tagNames.machineUid] === machine.uid || name === machine.name;
  return tags[tagNames.namespace] === machine.namespace && isOfMachine;
}

async function findOne(
  cloud: VirtualCloudClient,
  request: MachineRequest,
): Promise<CloudInstance | undefined> {
  const { machine, token, providerID, signal } = request;
  if (providerID !== undefined) {
    const found = await describe(cloud, providerID, signal);
    if (found && found.token !== token && !isMadeFor(found, request)) throw notOurs(request);
    return found;
  }
  // Whatever carries our token carries our name as well, so one call finds both.
  const named = await cloud.list({ name: machine.name }, signal);
  const byToken = named.find((instance) => instance.token === token);
  if (byToken) return byToken;
  const unclaimed = await filterUnclaimed(
    named.filter((instance) => belongsTo(instance, request)),
    request,
  );
  if (unclaimed.length < 2) return unclaimed[0];
  const ids = unclaimed.map(({ id }) => id).toSorted();
  throw new DriverError({
    code: 'OutOfRange',
    message: `several instances are called ${machine.name}: ${ids.join(', ')}. Delete those that are not wanted`,
    settled: false,
  });
}

async function filterUnclaimed(
  instances: CloudInstance[],
  { isClaimed }: MachineRequest,
): Promise<CloudInstance[]> {
  const claims = await Promise.all(
    instances.map(async (instance) => await isClaimed(instance.providerID)),
  );
  return instances.filter((_instance, index) => !claims[index]);
}

/**
 * One without our tags was made by MCM, which knows its own by the tags of the class. Without any
 * such tag it may be anybody's.
 */
function belongsTo({ tags }: CloudInstance, request: MachineRequest): boolean {
  const { cluster, machine, providerSpec } = request;
  if (tags[tagNames.cluster] !== undefined) {
    return hasAll(tags, tagsOf({ cluster, namespace: machine.namespace }));
  }
  const ofClass = withDefaults(providerSpec).tags;
  return Object.keys(ofClass).length > 0 && hasAll(tags, ofClass);
}

/** On everything that is made for the Machines of a namespace. */
function tagsOf(owner: { cluster: string; namespace: string }): Record<string, string> {
  return { [tagNames.cluster]: owner.cluster, [tagNames.namespace]: owner.namespace };
}

function hasAll(tags: Record<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => tags[name] === value);
}

function listed({ providerID, name, token, createdAt }: CloudInstance): ListedInstance {
  return { providerID, machineName: name, token, createdAt: Date.parse(createdAt) };
}

async function describe(
  cloud: VirtualCloudClient,
  providerID: string,
  signal: AbortSignal,
): Promise<CloudInstance | undefined> {
  const [, id] = /^local:\/\/\/[^/]+\/([^/]+)$/.exec(providerID) ?? [];
  if (id !== undefined) return await cloud.describe(id, signal);
  const message = `spec.providerID: "${providerID}" is not of the form local:///ZONE/ID`;
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
}

function instanceOf({ providerID, name, address, isInitialized }: CloudInstance): Instance {
  return {
    providerID,
    nodeName: name,
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    isInitialized,
  };
}

function volumeIdOf({ csi }: PersistentVolumeSpec): string[] {
  return csi?.driver === csiDriver && csi.volumeHandle ? [csi.volumeHandle] : [];
}
