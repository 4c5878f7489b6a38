/** The driver of `provider: kubevirt`: VirtualMachines of KubeVirt in a host cluster. */
import { DriverError, type Driver } from '../driver.ts';
import type { Cloud, Part } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import type { RestDriverLimits } from '../frame/rest-driver.ts';
import { fault } from '../frame/fault.ts';
import { hasTags, hasToken, ownerTags, type Owner } from '../frame/tags.ts';
import type { DriverSettings } from '../settings.ts';
import { createHosts, machineLabel, type HostNamespace, type HostObject } from './client.ts';
import { deathOf, stateOf } from './errors.ts';
import { createFaults, tagsIn, validateProviderSpec } from './validate.ts';
import { spelling, unownedSecret, userDataOf, virtualMachineOf } from './virtual-machine.ts';

interface Kubevirt {
  account: HostNamespace;
  thing: HostObject;
  content: object;
}

export function createKubevirtDriver(
  { env, allowsRetagging }: DriverSettings,
  { callTimeoutSeconds = 30, ...waits }: RestDriverLimits = {},
): Driver {
  const account = createHosts(env, callTimeoutSeconds);
  return driverOf({ ...kubevirt, account }, { ...waits, allowsRetagging });
}

/** With the user data; the VirtualMachine names it. */
const secret: Part<Kubevirt> = {
  kind: 'secret',
  read: async (host, ref, signal) => await host.read('secrets', ref, signal),
  search: async (host, { machine, signal }) =>
    await host.list('secrets', `${machineLabel}=${machine.name}`, signal),
  list: async (host, request) => await host.list('secrets', ownSelector(request), request.signal),
  bodies: ({ request }) => userDataOf(request),
  async make(host, { body, token, signal }) {
    try {
      return { thing: await host.create('secrets', body, signal) };
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'AlreadyExists') throw error;
      // Its name stands for its content: another call of this attempt was quicker.
      const thing = await host.read('secrets', body.name, signal);
      if (!thing || !hasToken(thing, token, spelling)) throw error;
      return { thing, isFound: true };
    }
  },
  stateOf: ({ isGoing }) => ({ is: isGoing ? 'going' : 'ready', words: 'there' }),
  remove: async (host, thing, signal) => await host.remove('secrets', thing, signal),
  providerIDOf: ({ name }) => `kubevirt://secrets/${name}`,
  refIn: (providerID) => namesIn(providerID)['secret'],
};

const instance: Part<Kubevirt> = {
  kind: 'virtual machine',
  read: async (host, ref, signal) => await host.read('virtualmachines', ref, signal),
  async search(host, { machine, signal }) {
    const found = await host.read('virtualmachines', machine.name, signal);
    return found ? [found] : [];
  },
  async list(host, request) {
    const { signal, providerSpec } = request;
    const own = await host.list('virtualmachines', ownSelector(request), signal);
    const tags = tagsIn(providerSpec);
    if (Object.keys(tags).length === 0) return own;
    // What MCM made has the tags of its class alone.
    const selector = `${selectorOf(tags)},!${spelling.names.cluster}`;
    return [...own, ...(await host.list('virtualmachines', selector, signal))];
  },
  bodies({ request, made }) {
    const userData = made[secret.kind]?.[0]?.name;
    return [{ name: request.machine.name, content: virtualMachineOf(request, userData) }];
  },
  async make(host, { body, signal }) {
    const thing = await host.create('virtualmachines', body, signal);
    return { thing: await giveOwner(host, thing, signal) };
  },
  stateOf,
  deathOf,
  remove: async (host, thing, signal) => await host.remove('virtualmachines', thing, signal),
  providerIDOf: ({ name }) => `kubevirt://${name}`,
  refIn: (providerID) => namesIn(providerID)['machine'],
};

const isOwner = ({ annotations }: HostObject): boolean => annotations[unownedSecret] === undefined;

const kubevirt: Omit<Cloud<Kubevirt>, 'account'> = {
  title: 'KubeVirt',
  // What is made is seen at once; a create may be on its way for as long as a call may take.
  settleSeconds: 30,
  parts: [secret],
  instance,
  uniqueness: { by: 'name' },
  tags: spelling,
  // Without tags in the class it may be anybody's.
  isOfClass: (thing, providerSpec) =>
    selectorOf(tagsIn(providerSpec)) !== '' && hasTags(thing, tagsIn(providerSpec)),
  isOfMachineController: ({ tags }) => tags['kubermatic.k8c.io/cluster-id'] !== undefined,
  instanceOf: (thing) => ({
    providerID: `kubevirt://${thing.name}`,
    nodeName: thing.name,
    isInitialized: isOwner(thing),
  }),
  validate: validateProviderSpec,
  faultsOf: createFaults,
  // Its name is free again for the next try.
  deletesFailed: true,
  initialize: { isNeeded: (thing) => !isOwner(thing), run: giveOwner },
  console: async (host, { name }, signal) => await host.log(name, signal),
  async retag(host, { thing: { name }, tags: labels, signal }) {
    await host.patch('virtualmachines', { name, content: { metadata: { labels } } }, signal);
    return undefined;
  },
  listScope: (providerSpec) => selectorOf(tagsIn(providerSpec)),
  volumeIds: csiVolumeIds('csi.kubevirt.io'),
};

const selectorOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

const ownSelector = (owner: Owner): string => selectorOf(ownerTags(owner, spelling));

/** From then on the Secret goes with its VirtualMachine. */
async function giveOwner(
  host: HostNamespace,
  thing: HostObject,
  signal: AbortSignal,
): Promise<HostObject> {
  const { name, uid, annotations } = thing;
  const { [unownedSecret]: userData, ...others } = annotations;
  if (userData === undefined) return thing;
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid };
  const owned = { metadata: { ownerReferences: [owner] } };
  await host.patch('secrets', { name: userData, content: owned }, signal);
  const done = { metadata: { uid, annotations: { [unownedSecret]: null } } };
  await host.patch('virtualmachines', { name, content: done }, signal);
  return { ...thing, annotations: others };
}

function namesIn(providerID: string): Partial<Record<string, string>> {
  const form = /^kubevirt:\/\/(?:secrets\/(?<secret>[-a-z0-9.]+)|(?<machine>[-a-z0-9.]+))$/;
  const { groups } = form.exec(providerID) ?? {};
  if (groups) return groups;
  throw fault('input', `spec.providerID: "${providerID}" is not of the form kubevirt://NAME`);
}
