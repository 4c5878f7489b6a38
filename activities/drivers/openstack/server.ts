/** A server of Nova. */
import type { Instance } from '../driver.ts';
import type { Body, Death, MakeCall, Making, Part, Plan, State } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent } from '../frame/http.ts';
import { tagsFor } from '../frame/tags.ts';
import { base64UserData } from '../user-data-bytes.ts';
import type { Account } from './client.ts';
import { meaningOfFault } from './errors.ts';
import { byAge, takePortsOver } from './port.ts';
import { serverIDOf, serverIn } from './provider-id.ts';
import type { MachineSpec } from './provider-spec.ts';
import { metadataOf, securityGroupsOf, specOf } from './spec.ts';
import { ownPrefix, ownTexts, tagSpelling } from './tags.ts';
import { takeVolumesOver } from './volume.ts';
import { callsOf, idOf, imageOf, textOf, textsIn, resourceOf } from './resource.ts';
import type { Content, OpenStackCloud, StackResource } from './resource.ts';

const servers = callsOf('server', 'compute');

export const server: Part<OpenStackCloud> = {
  kind: 'server',
  read: servers.read,
  async search(account, { machine: { name }, signal }) {
    // A regular expression: the dots of a name stand for themselves, or for any other character.
    const query = `/detail?name=${encodeURIComponent(`^${name}$`)}`;
    const found = await servers.all(account, query, signal);
    return found.filter((thing) => thing.name === name).toSorted(byUse);
  },
  // Not by tags: MCM's have none, and Nova does not search in metadata.
  list: (account, { signal }) => servers.all(account, '/detail', signal),
  bodies,
  make,
  stateOf,
  deathOf,
  protectionOf: ({ name, raw }) =>
    raw['locked'] === true ? `OpenStack: server ${name} is locked: unlock it` : undefined,
  async remove(account, thing, signal) {
    // Of an earlier control cluster: once it is gone, nothing but tags leads to its parts.
    const cluster = thing.tags[tagSpelling.names.cluster];
    if (cluster !== undefined && cluster !== account.cluster) {
      await takePortsOver(account, thing, signal);
      await takeVolumesOver(account, thing, signal);
    }
    const { ref, status } = thing;
    const body = { forceDelete: null };
    const forced = { ref, method: 'POST', at: '/action', body, signal } as const;
    if (status === 'SOFT_DELETED') await orAbsent(servers.change(account, forced));
    else await servers.remove(account, ref, signal);
    return 'going';
  },
  providerIDOf: ({ ref }, { region }) => serverIDOf(region, ref),
  refIn: serverIn,
};

function bodies({ request, made }: Plan<OpenStackCloud>): Body<Content>[] {
  const spec = specOf(request.providerSpec);
  const { name } = request.machine;
  const { imageID, imageName = '', useConfigDrive, serverGroupID } = spec;
  const groups = securityGroupsOf(spec).map((group) => ({ name: group }));
  const userData = base64UserData(request);
  const own = tagsFor({}, request, tagSpelling);
  const body = {
    server: {
      name,
      availability_zone: spec.availabilityZone,
      metadata: metadataOf(spec.tags),
      tags: ownTexts(own),
      networks: (made['port'] ?? []).map(({ ref }) => ({ port: ref })),
      ...(spec.keyName && { key_name: spec.keyName }),
      ...(groups.length > 0 && { security_groups: groups }),
      ...(userData && { user_data: userData }),
      ...(useConfigDrive !== undefined && { config_drive: useConfigDrive }),
      ...(imageID && { imageRef: imageID }),
      ...disksOf(spec, made['volume']),
    },
    ...(serverGroupID && { 'os:scheduler_hints': { group: serverGroupID } }),
  };
  const { flavorName } = spec;
  return [{ name, content: { body, flavorName, ...(!imageID && { imageName }) } }];
}

const diskField = 'block_device_mapping_v2';

/** Nova makes the volume of a class that gives no type. */
function disksOf(
  { rootDiskSize = 0 }: MachineSpec,
  volumes: readonly StackResource[] = [],
): object {
  if (rootDiskSize === 0) return {};
  const [volume] = volumes;
  const source = volume
    ? { uuid: volume.ref, source_type: 'volume', delete_on_termination: false }
    : { source_type: 'image', delete_on_termination: true };
  const target = { destination_type: 'volume', boot_index: 0, volume_size: rootDiskSize };
  return { [diskField]: [{ ...source, ...target }] };
}

async function make(
  account: Account,
  { body: { content }, signal }: MakeCall<OpenStackCloud>,
): Promise<Making<OpenStackCloud>> {
  const { flavorName: name = '', body } = content;
  const flavorRef = await idOf(account, 'flavor', { name, signal });
  const image = await imageOf(account, content, signal);
  const asked = withImage({ ...Object(body['server']), flavorRef, ...image });
  // Nova answers with the id alone.
  const { id } = Object(await servers.create(account, { ...body, server: asked }, signal));
  const thing = resourceOf({ ...asked, id, status: 'BUILD' });
  const [first = thing, ...others] = await ownServers(account, thing, signal);
  // The process that made another may be gone, and then no other call removes it.
  for (const { ref } of others) await servers.remove(account, ref, signal);
  if (first.ref === thing.ref) return { thing };
  throw fault('conflict', `server ${thing.name} was made by another call of this attempt as well`);
}

/**
 * Nova can take two creates at once on one port, and only one gets it. The older one stays, as all
 * that see both agree.
 */
async function ownServers(
  account: Account,
  { name, tags }: StackResource,
  signal: AbortSignal,
): Promise<StackResource[]> {
  const query = `/detail?name=${encodeURIComponent(`^${name}$`)}`;
  const { token } = tagSpelling.names;
  const found = await servers.all(account, query, signal);
  const own = found.filter((one) => one.name === name && one.tags[token] === tags[token]);
  return own.filter((one) => stateOf(one).is !== 'going').toSorted(byUse);
}

/** What is on its way down or has failed comes last, then what is younger. */
function byUse(a: StackResource, b: StackResource): number {
  const rank = { ready: 0, coming: 0, failed: 1, going: 2 };
  const difference = rank[stateOf(a).is] - rank[stateOf(b).is];
  return difference === 0 ? byAge(a, b) : difference;
}

/** A volume that Nova makes of the image names it as well. */
function withImage(asked: Record<string, unknown>): Record<string, unknown> {
  const [disk] = Array.isArray(asked[diskField]) ? asked[diskField].map(Object) : [];
  if (disk?.['source_type'] !== 'image') return asked;
  return { ...asked, [diskField]: [{ uuid: asked['imageRef'], ...disk }] };
}

function stateOf({ status, raw }: StackResource): State {
  const task = raw['OS-EXT-STS:task_state'];
  const isGoing = ['DELETED', 'SOFT_DELETED'].includes(status) || task === 'deleting';
  const words = typeof task === 'string' ? `${status}, ${task}` : status;
  if (isGoing) return { is: 'going', words };
  if (status === 'BUILD') return { is: 'coming', words };
  return { is: status === 'ERROR' ? 'failed' : 'ready', words };
}

function deathOf({ name, status, raw }: StackResource): Death {
  const { message } = Object(raw['fault']);
  const cause = typeof message === 'string' ? message : 'Nova does not say why';
  return {
    meaning: meaningOfFault(cause),
    message: `OpenStack: server ${name} has the status ${status}: ${cause}`,
  };
}

export function instanceOf({ ref, name, raw }: StackResource, { region }: Account): Instance {
  const lists = Object.values(Object(raw['addresses'])).flat();
  const addresses = lists.map(Object).flatMap((one) => {
    const type = one['OS-EXT-IPS:type'] === 'floating' ? 'ExternalIP' : 'InternalIP';
    return typeof one['addr'] === 'string' ? [{ type, address: one['addr'] }] : [];
  });
  return {
    providerID: serverIDOf(region, ref),
    nodeName: name,
    isInitialized: true,
    ...(addresses.length > 0 && { addresses }),
  };
}

/** Lines, which are 64 KiB and more. */
const consoleLines = 1_000;

export async function consoleOf(
  account: Account,
  { ref }: StackResource,
  signal: AbortSignal,
): Promise<string | undefined> {
  const body = { 'os-getConsoleOutput': { length: consoleLines } };
  const call = { ref, method: 'POST', at: '/action', body, signal } as const;
  const answer = await orAbsent(servers.change(account, call));
  return answer && textOf(Object(answer.json)['output']);
}

/** In place of ours; those of others stay. */
export async function retag(
  account: Account,
  {
    thing,
    tags,
    signal,
  }: { thing: StackResource; tags: Record<string, string>; signal: AbortSignal },
): Promise<undefined> {
  const others = textsIn(thing.raw['tags']).filter((text) => !text.startsWith(ownPrefix));
  const body = { tags: [...others, ...ownTexts(tags)] };
  await servers.change(account, { ref: thing.ref, method: 'PUT', at: '/tags', body, signal });
}
