/** The driver of `provider: kubevirt`: VirtualMachines of KubeVirt in a host cluster. */
import { DriverError, type Driver, type Instance } from '../driver.ts';
import type { Cloud, Death, Part, Resource, State } from '../frame/cloud.ts';
import { driverOf, type FrameOptions } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import { hasTags } from '../frame/tags.ts';
import type { DriverSettings } from '../settings.ts';
import {
  createHosts,
  secrets,
  virtualMachines,
  type HostNamespace,
  type HostObject,
} from './client.ts';
import { deathOfStatus, stateOfStatus } from './errors.ts';
import { classSelector, machineLabel, ownSelector, spelling } from './labels.ts';
import { createFaults, tagsIn, validateProviderSpec } from './validate.ts';
import { unownedSecret, userDataOf, virtualMachineOf } from './virtual-machine.ts';

export interface KubevirtDriverLimits extends Pick<
  FrameOptions,
  'waitSeconds' | 'orphanWaitSeconds' | 'firstPauseSeconds'
> {
  /** The limit of one request. Default 30. */
  callTimeoutSeconds?: number;
}

interface HostThing extends Resource {
  object: HostObject;
}

interface Kubevirt {
  account: HostNamespace;
  thing: HostThing;
  content: object;
}

/** What is made is seen at once; a create may be on its way for as long as a call may take. */
const settleSeconds = 30;

export function createKubevirtDriver(
  { env, allowsRetagging }: DriverSettings,
  { callTimeoutSeconds = 30, ...waits }: KubevirtDriverLimits = {},
): Driver {
  const hostOf = createHosts(env, callTimeoutSeconds);
  return driverOf(cloudOf(hostOf), { ...waits, allowsRetagging });
}

function cloudOf(account: ReturnType<typeof createHosts>): Cloud<Kubevirt> {
  return {
    title: 'KubeVirt',
    settleSeconds,
    account,
    parts: [userData],
    instance,
    uniqueness: { by: 'name' },
    tags: spelling,
    isOfClass,
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: createFaults,
    // Its name is free again for the next try.
    deletesFailed: true,
    initialize: {
      isNeeded: ({ object }) => secretWithoutOwner(object) !== undefined,
      run: giveOwner,
    },
    console: (host, { name }, signal) => host.log(name, signal),
    async retag(host, { thing: { name }, tags: labels, signal }) {
      await host.patch(virtualMachines, { name, content: { metadata: { labels } } }, signal);
      return undefined;
    },
    // What MCM made is looked for by the tags of the class.
    listScope: (spec) => JSON.stringify(Object.entries(tagsIn(spec)).toSorted()),
    volumeIds: async (specs) =>
      specs.flatMap(({ csi }) =>
        csi?.driver === 'csi.kubevirt.io' && csi.volumeHandle ? [csi.volumeHandle] : [],
      ),
  };
}

const instance: Part<Kubevirt> = {
  kind: 'virtual machine',
  async read(host, ref, signal) {
    const object = await host.read(virtualMachines, ref, signal);
    return object && viewOf(object);
  },
  async search(host, { machine: { name }, signal }) {
    const object = await host.read(virtualMachines, name, signal);
    return object ? [viewOf(object)] : [];
  },
  async list(host, request) {
    const selectors = [ownSelector(request), classSelector(request)];
    const lists = selectors.flatMap((selector) =>
      selector === undefined ? [] : [host.list(virtualMachines, selector, request.signal)],
    );
    return (await Promise.all(lists)).flat().map(viewOf);
  },
  bodies: ({ request, made }) => [
    {
      name: request.machine.name,
      content: virtualMachineOf(request, made[userData.kind]?.[0]?.name),
    },
  ],
  async make(host, { body, signal }) {
    const thing = viewOf(await host.create(virtualMachines, body, signal));
    return { thing: await giveOwner(host, thing, signal) };
  },
  stateOf: ({ object }) => stateOf(object),
  deathOf,
  remove: (host, thing, signal) => host.remove(virtualMachines, thing, signal),
  providerIDOf: ({ name }) => `kubevirt://${name}`,
  refIn(providerID) {
    const [, kind, name] = formIn(providerID);
    return kind === undefined ? name : undefined;
  },
};

/** The Secret with the user data, which the VirtualMachine names. */
const userData: Part<Kubevirt> = {
  kind: 'secret',
  async read(host, ref, signal) {
    const object = await host.read(secrets, ref, signal);
    return object && viewOf(object);
  },
  search: async (host, { machine: { name }, signal }) =>
    (await host.list(secrets, `${machineLabel}=${name},${spelling.names.cluster}`, signal)).map(
      viewOf,
    ),
  list: async (host, request) =>
    (await host.list(secrets, ownSelector(request), request.signal)).map(viewOf),
  bodies: ({ request }) => userDataOf(request),
  async make(host, { body, token, signal }) {
    try {
      return { thing: viewOf(await host.create(secrets, body, signal)) };
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'AlreadyExists') throw error;
      // The name tells the content: another call of this attempt was quicker.
      const object = await host.read(secrets, body.name, signal);
      if (object?.metadata.labels?.[spelling.names.token] !== token) throw error;
      return { thing: viewOf(object), isFound: true };
    }
  },
  stateOf: ({ object }) => (isGoing(object) ? going : { is: 'ready', words: 'there' }),
  remove: (host, thing, signal) => host.remove(secrets, thing, signal),
  providerIDOf: ({ name }) => `kubevirt://secrets/${name}`,
  refIn(providerID) {
    const [, kind, name] = formIn(providerID);
    return kind === undefined ? undefined : name;
  },
};

function viewOf(object: HostObject): HostThing {
  const { name, uid, labels: tags = {}, creationTimestamp } = object.metadata;
  const createdAt = Date.parse(creationTimestamp);
  return { ref: name, uid, name, machineName: tags[machineLabel], tags, createdAt, object };
}

const going: State = { is: 'going', words: 'Terminating' };
const isGoing = ({ metadata }: HostObject): boolean => metadata.deletionTimestamp !== undefined;

function stateOf(object: HostObject): State {
  if (isGoing(object)) return going;
  const words = object.status?.printableStatus ?? 'not looked at by KubeVirt yet';
  // Somebody stopped it on purpose; otherwise it is only not started yet.
  if (words === 'Stopped' && object.spec?.runStrategy === 'Halted') return { is: 'failed', words };
  return { is: stateOfStatus[words] ?? 'coming', words };
}

/** With the words of the condition that says why. */
function deathOf({ name, object }: HostThing): Death {
  const { printableStatus = 'gone', conditions = [] } = object.status ?? {};
  const reasons = conditions.filter(({ status, message }) => status === 'False' && message);
  const said = reasons.map(({ type, message }) => `${type}: ${message}`).join('; ');
  const words = said === '' ? 'KubeVirt does not say why' : said.slice(0, 500);
  const message = `virtual machine ${name} is ${printableStatus} before it was of use: ${words}`;
  return { meaning: deathOfStatus[printableStatus] ?? 'conflict', message };
}

const secretWithoutOwner = ({ metadata }: HostObject): string | undefined =>
  metadata.annotations?.[unownedSecret];

/** Whoever deletes the VirtualMachine then, its Secret goes with it. */
async function giveOwner(
  host: HostNamespace,
  thing: HostThing,
  signal: AbortSignal,
): Promise<HostThing> {
  const secret = secretWithoutOwner(thing.object);
  if (secret === undefined) return thing;
  const { name, uid } = thing.object.metadata;
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid };
  const owned = { metadata: { ownerReferences: [owner] } };
  await host.patch(secrets, { name: secret, content: owned }, signal);
  const done = { metadata: { uid, annotations: { [unownedSecret]: null } } };
  const left = await host.patch(virtualMachines, { name, content: done }, signal);
  return left ? viewOf(left) : thing;
}

/** Without any of the class's tags it may be anybody's. */
function isOfClass(thing: HostThing, providerSpec: unknown): boolean {
  const tags = tagsIn(providerSpec);
  return Object.keys(tags).length > 0 && hasTags(thing, tags);
}

function instanceOf({ name, object }: HostThing): Instance {
  const isInitialized = secretWithoutOwner(object) === undefined;
  return { providerID: `kubevirt://${name}`, nodeName: name, isInitialized };
}

function formIn(providerID: string): readonly (string | undefined)[] {
  const form = /^kubevirt:\/\/(?:(secrets)\/)?([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.exec(providerID);
  if (form) return form;
  throw fault('input', `spec.providerID: "${providerID}" is not of the form kubevirt://NAME`);
}
