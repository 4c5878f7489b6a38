/** Finds the instances of a Machine, as decided in docs/decisions/0008-clouds.md. */
import type { Instance } from '@aws-sdk/client-ec2';
import { DriverError, type MachineRequest } from '../driver.ts';
import { isMadeByMachineController } from '../kubermatic-mark.ts';
import { notOurs } from '../named-instance.ts';
import { pageOf, type Ec2 } from './ec2.ts';
import { idOf, isLive, isTerminated } from './instance-view.ts';
import { parseProviderId, providerIdOf } from './provider-id.ts';
import { belongsTo, mcmTagKeysOf, nameTag, ourTags, tagOf, type Owner } from './tags.ts';

export type FoundInstance =
  | { outcome: 'live'; instance: Instance }
  /** This token made one, and it is going or gone: EC2 makes no other with it. */
  | { outcome: 'spent'; instance: Instance }
  | { outcome: 'nothing' };

/** Several live ones of this Machine: `OutOfRange`. */
export async function findInstance(ec2: Ec2, request: MachineRequest): Promise<FoundInstance> {
  const { providerID } = request;
  if (providerID !== undefined) {
    const instance = await ec2.describeOne(parseProviderId(providerID).instanceId);
    if (!instance || !isLive(instance)) return { outcome: 'nothing' };
    if (!hasToken(instance, request) && !isMadeFor(instance, request)) throw notOurs(request);
    return { outcome: 'live', instance };
  }
  const named = await describeNamed(ec2, request.machine.name);
  const ofToken = named.filter((instance) => hasToken(instance, request));
  const instance =
    single(ofToken.filter(isLive), request) ??
    single(await adoptable(ec2, request, named.filter(isLive)), request);
  if (instance) return { outcome: 'live', instance };
  const [spent] = ofToken;
  return spent ? { outcome: 'spent', instance: spent } : { outcome: 'nothing' };
}

/** All that a delete takes with it and that is not terminated yet, ordered by identity. */
export async function findOwned(ec2: Ec2, request: MachineRequest): Promise<Instance[]> {
  const { providerID, machine } = request;
  const named = await describeNamed(ec2, machine.name);
  const isMissing = providerID !== undefined && !named.some((one) => isIdOf(providerID, idOf(one)));
  const byId = isMissing
    ? await ec2.describeOne(parseProviderId(providerID).instanceId)
    : undefined;
  const candidates = [...named, ...(byId ? [byId] : [])].filter(
    (instance) => !isTerminated(instance),
  );
  const owned = await Promise.all(
    candidates.map(async (instance) => ((await isOwned(ec2, request, instance)) ? [instance] : [])),
  );
  return owned.flat().toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

export function ownerOf(request: {
  cluster: string;
  namespace: string;
  providerSpec: unknown;
}): Owner {
  const { cluster, namespace, providerSpec } = request;
  return { cluster, namespace, mcmTagKeys: mcmTagKeysOf(providerSpec) };
}

/** Whatever carries our token carries our name as well, so one call finds both; in every state. */
function describeNamed(ec2: Ec2, name: string): Promise<Instance[]> {
  return ec2.describe({ Filters: [{ Name: `tag:${nameTag}`, Values: [name] }], ...pageOf });
}

async function isOwned(ec2: Ec2, request: MachineRequest, instance: Instance): Promise<boolean> {
  if (hasToken(instance, request)) return true;
  const id = idOf(instance);
  const isNamed = request.providerID !== undefined && isIdOf(request.providerID, id);
  if (!isNamed && !belongsTo(instance, machineOwner(request))) return false;
  if (await request.isClaimed(providerIdOf(ec2.region, id))) return false;
  if (isNamed && !isMadeFor(instance, request)) throw notOurs(request);
  return true;
}

/**
 * True when Millwright made it for this Machine, under any cluster id, or MCM or machine-controller
 * did.
 */
export function isMadeFor(instance: Instance, request: MachineRequest): boolean {
  const { machine } = request;
  if (tagOf(instance, ourTags.cluster) === undefined && isTakenOver(instance, machine)) return true;
  const cluster = tagOf(instance, ourTags.cluster) ?? request.cluster;
  if (!belongsTo(instance, { ...machineOwner(request), cluster })) return false;
  const uid = tagOf(instance, ourTags.machineUid);
  return uid === undefined || uid === machine.uid || tagOf(instance, nameTag) === machine.name;
}

function isTakenOver(instance: Instance, machine: MachineRequest['machine']): boolean {
  const tags = (instance.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]);
  const names = { instance: tagOf(instance, nameTag), machine: machine.name };
  return isMadeByMachineController(Object.fromEntries(tags), names);
}

function isIdOf(providerID: string, instanceId: string): boolean {
  return parseProviderId(providerID).instanceId === instanceId;
}

async function adoptable(
  ec2: Ec2,
  request: MachineRequest,
  named: Instance[],
): Promise<Instance[]> {
  const ours = named.filter((instance) => belongsTo(instance, machineOwner(request)));
  const claims = await Promise.all(
    ours.map(async (instance) => await request.isClaimed(providerIdOf(ec2.region, idOf(instance)))),
  );
  return ours.filter((_instance, index) => !claims[index]);
}

function machineOwner({ cluster, machine, providerSpec }: MachineRequest): Owner {
  return ownerOf({ cluster, namespace: machine.namespace, providerSpec });
}

/** Made by this attempt to create. */
export function hasToken(instance: Instance, { token }: MachineRequest): boolean {
  return tagOf(instance, ourTags.token) === token;
}

function single(instances: Instance[], { machine }: MachineRequest): Instance | undefined {
  if (instances.length < 2) return instances[0];
  const ids = instances.map(idOf).toSorted().join(', ');
  const message = `several instances are called ${machine.name}: ${ids}. Delete those that are not wanted`;
  throw new DriverError({ code: 'OutOfRange', message, settled: false });
}
