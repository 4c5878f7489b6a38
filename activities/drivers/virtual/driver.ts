/** The driver of `provider: virtual`: machines of the virtual cloud. */
import { createHash } from 'node:crypto';
import type { CreateRequest, Driver, Instance, PersistentVolumeSpec } from '../driver.ts';
import type { Cloud, Part, Resource, TagSpelling } from '../frame/cloud.ts';
import { driverOf } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import { hasTags, ownerTags, usualNames } from '../frame/tags.ts';
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

const tags: TagSpelling = {
  word: 'tag',
  names: usualNames,
  allowed: /^/,
};

/** CSI driver of volumes in the virtual cloud. */
const csiDriver = 'virtual-cloud.millwright.dev';

/** The virtual cloud lists at once what it made; this covers a request that is still on its way. */
const settleSeconds = 1;

/** `tags` has the token as well, which the virtual cloud keeps apart. */
interface VirtualInstance extends Resource {
  instance: CloudInstance;
}

interface VirtualCloud {
  account: VirtualCloudClient;
  thing: VirtualInstance;
  content: CloudInstanceRequest;
}

export function createVirtualDriver(options: VirtualDriverOptions = {}): Driver {
  const cloud = createVirtualCloudClient({
    url: parseUrl(options.url ?? 'http://127.0.0.1:7080'),
    callTimeoutSeconds: options.callTimeoutSeconds ?? 30,
    transport: options.transport,
  });
  return driverOf(virtualCloud(cloud));
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(
    `MILLWRIGHT_VIRTUAL_CLOUD: "${text}" is not a URL of the form http://127.0.0.1:7080`,
  );
}

function virtualCloud(client: VirtualCloudClient): Cloud<VirtualCloud> {
  return {
    title: 'virtual cloud',
    settleSeconds,
    account: async () => client,
    parts: [],
    instance,
    uniqueness: { by: 'token' },
    tags,
    isOfClass,
    instanceOf,
    validate: validateProviderSpec,
    initialize: {
      isNeeded: (thing) => !thing.instance.isInitialized,
      run: async (cloud, { ref }, signal) => viewOf(await cloud.initialize(ref, signal)),
    },
    console: (cloud, { ref }, signal) => cloud.console(ref, signal),
    // One listing shows all zones.
    listScope: () => '',
    volumeIds: async (specs) => specs.flatMap(volumeIdOf),
  };
}

const instance: Part<VirtualCloud> = {
  kind: 'instance',
  async read(cloud, ref, signal) {
    const found = await cloud.describe(ref, signal);
    return found && viewOf(found);
  },
  // Whatever carries our token carries our name as well, so one call finds both.
  search: async (cloud, { machine: { name }, signal }) =>
    (await cloud.list({ name }, signal)).map(viewOf),
  list: async (cloud, request) =>
    (await cloud.list({ tags: { ...ownerTags(request, tags) } }, request.signal)).map(viewOf),
  bodies: ({ request }) => [{ name: request.machine.name, content: cloudRequestOf(request) }],
  async make(cloud, { body, signal }) {
    const { instance: made, known } = await cloud.create(body.content, signal);
    if (made.state !== 'deleted') return { thing: viewOf(made), isFound: known };
    throw fault('conflict', `instance ${made.id} of this attempt was deleted in the cloud`, true);
  },
  // The virtual cloud has done what it has answered, and its machines boot by themselves.
  stateOf: ({ instance: { state } }) => ({ is: 'ready', words: state }),
  async remove(cloud, { ref }, signal) {
    await cloud.delete(ref, signal);
    return 'gone';
  },
  providerIDOf: (thing) => thing.instance.providerID,
  refIn,
};

function viewOf(of: CloudInstance): VirtualInstance {
  const { id, name, token, createdAt } = of;
  const own = { ...of.tags, [tags.names.token]: token };
  return { ref: id, name, tags: own, createdAt: Date.parse(createdAt), instance: of };
}

/**
 * Depends on nothing but the request: the cloud refuses a token that comes back with another
 * request.
 */
function cloudRequestOf(request: CreateRequest): CloudInstanceRequest {
  const { machine, cluster, token, nodeLabels, nodeTaints = [] } = request;
  const spec = withDefaults(request.providerSpec);
  return {
    name: machine.name,
    token,
    zone: spec.zone,
    size: spec.size,
    spec: request.providerSpec ?? {},
    tags: {
      ...spec.tags,
      ...ownerTags({ cluster, namespace: machine.namespace }, tags),
      [tags.names.machineUid]: machine.uid,
    },
    ...userDataOf(request),
    labels: { ...spec.labels, ...nodeLabels },
    annotations: spec.annotations,
    taints: [...spec.taints, ...nodeTaints],
    needsInitialization: spec.needsInitialization,
  };
}

/** A unit of the user data that Millwright makes (userdata/setup.ts). */
const madeByMillwright = 'millwright-setup.service';

/** A machine joins by what Millwright made. Of all else the cloud has no use: it gets a digest. */
function userDataOf({ userData, userDataBytes }: CreateRequest): Partial<CloudInstanceRequest> {
  if (userData.includes(madeByMillwright)) {
    return { userData: Buffer.from(userData).toString('base64') };
  }
  const digest = createHash('sha256').update(userDataBytes ?? userData);
  return { userDataDigest: digest.digest('hex') };
}

/**
 * MCM knows its own by the tags of the class. Without any such tag it may be anybody's, unless the
 * Machine names it.
 */
function isOfClass(thing: VirtualInstance, providerSpec: unknown, isNamed: boolean): boolean {
  const ofClass = withDefaults(providerSpec).tags;
  return Object.keys(ofClass).length === 0 ? isNamed : hasTags(thing, ofClass);
}

function refIn(providerID: string): string {
  const [, id] = /^local:\/\/\/[^/]+\/([^/]+)$/.exec(providerID) ?? [];
  if (id !== undefined) return id;
  throw fault('input', `spec.providerID: "${providerID}" is not of the form local:///ZONE/ID`);
}

function instanceOf({
  instance: { providerID, name, address, isInitialized },
}: VirtualInstance): Instance {
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
