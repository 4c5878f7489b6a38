/** A server of Nova. */
import type { CreateRequest, Instance } from '../driver.ts';
import type { Death, MakeCall, Making, Part, Plan, State } from '../frame/cloud.ts';
import { orAbsent } from '../frame/http.ts';
import { base64UserData } from '../user-data-bytes.ts';
import { pagesOf, type Account } from './client.ts';
import { meaningOfFault } from './errors.ts';
import { removePortsOf } from './port.ts';
import { serverIDOf, serverIn } from './provider-id.ts';
import type { MachineSpec } from './provider-spec.ts';
import { metadataOf, securityGroupsOf, specOf } from './spec.ts';
import { ownPrefix, ownTexts, tagSpelling, tagsIn } from './tags.ts';
import { tagsFor } from '../frame/tags.ts';
import { idByName, imageOf, textsIn, timeOf } from './thing.ts';
import type { Content, OpenStackCloud, Thing } from './thing.ts';

export const server: Part<OpenStackCloud> = {
  kind: 'server',
  async read(account, ref, signal) {
    const what = `read server ${ref}`;
    const call = { what, method: 'GET', path: `/servers/${ref}`, signal } as const;
    const answer = await orAbsent(account.send('compute', call));
    return answer && viewOf(Object(answer.json)['server']);
  },
  async search(account, { machine: { name }, signal }) {
    // A regular expression: the dots of a name stand for themselves, or for any other character.
    const path = `/servers/detail?name=${encodeURIComponent(`^${name}$`)}`;
    const found = await serversBy(account, path, signal);
    return found.filter((thing) => thing.name === name);
  },
  // Not by tags: MCM's have none, and Nova does not search in metadata.
  list: async (account, { signal }) => await serversBy(account, '/servers/detail', signal),
  bodies,
  make,
  stateOf,
  deathOf,
  protectionOf: ({ name, raw }) =>
    raw['locked'] === true ? `OpenStack: server ${name} is locked: unlock it` : undefined,
  async remove(account, thing, signal) {
    if (stateOf(thing).is !== 'going') await removePortsOf(account, thing, signal);
    const path = `/servers/${thing.ref}`;
    const what = `delete server ${thing.name}`;
    const isKept = thing.status === 'SOFT_DELETED';
    const call = isKept
      ? ({ method: 'POST', path: `${path}/action`, body: { forceDelete: null } } as const)
      : ({ method: 'DELETE', path } as const);
    await orAbsent(account.send('compute', { ...call, what, signal }));
    return 'going';
  },
  providerIDOf: ({ ref }, { region }) => serverIDOf(region, ref),
  refIn: serverIn,
};

function viewOf(raw: unknown): Thing {
  const it: Record<string, unknown> = Object(raw);
  return {
    ref: String(it['id']),
    name: String(it['name']),
    tags: { ...metadataOf(it['metadata']), ...tagsIn(textsIn(it['tags'])) },
    createdAt: timeOf(it['created']),
    status: String(it['status']),
    raw: it,
  };
}

async function serversBy(account: Account, path: string, signal: AbortSignal): Promise<Thing[]> {
  const call = { what: 'look for servers', path, key: 'servers', signal };
  return (await pagesOf(account, 'compute', call)).map(viewOf);
}

function bodies({ request, made }: Plan<OpenStackCloud>): { name: string; content: Content }[] {
  const spec = specOf(request.providerSpec);
  const { name } = request.machine;
  const { imageID, imageName = '', useConfigDrive, serverGroupID } = spec;
  const groups = securityGroupsOf(spec).map((group) => ({ name: group }));
  const userData = base64UserData(request);
  const own = tagsFor({}, request, tagSpelling);
  const body = {
    server: {
      name,
      key_name: spec.keyName,
      availability_zone: spec.availabilityZone,
      metadata: metadataOf(spec.tags),
      tags: ownTexts(own),
      networks: (made['port'] ?? []).map(({ ref }) => ({ port: ref })),
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

/** Nova makes the volume of a class that gives no type. */
function disksOf(
  { rootDiskSize = 0 }: MachineSpec,
  volumes: readonly Thing[] = [],
): { block_device_mapping_v2?: object[] } {
  if (rootDiskSize === 0) return {};
  const [volume] = volumes;
  const source = volume
    ? { uuid: volume.ref, source_type: 'volume', delete_on_termination: false }
    : { source_type: 'image', delete_on_termination: true };
  const target = { destination_type: 'volume', boot_index: 0, volume_size: rootDiskSize };
  return { block_device_mapping_v2: [{ ...source, ...target }] };
}

async function make(
  account: Account,
  { body: { name, content }, signal }: MakeCall<OpenStackCloud>,
): Promise<Making<OpenStackCloud>> {
  const { flavorName = '' } = content;
  const path = '/flavors';
  const flavors = { service: 'compute', key: 'flavors', path, kind: 'flavor' } as const;
  const flavorRef = await idByName(account, { ...flavors, name: flavorName, signal });
  const image = await imageOf(account, content, signal);
  const answer = await account.send('compute', {
    what: `create server ${name}`,
    method: 'POST',
    path: '/servers',
    body: withRefs(content.body, { flavorRef, ...image }),
    signal,
    isCreate: true,
  });
  // Nova answers with the id alone.
  const { id } = Object(Object(answer.json)['server']);
  const asked = Object(content.body['server']);
  return { thing: viewOf({ ...asked, id, status: 'BUILD' }) };
}

/** A volume that is made of the image names it as well. */
function withRefs(body: Content['body'], refs: Record<string, string>): object {
  const asked: Record<string, unknown> = Object(body['server']);
  const { block_device_mapping_v2: disks, ...rest } = { ...asked, ...refs };
  const filled = (Array.isArray(disks) ? disks : []).map((disk: unknown) => {
    const { source_type: source } = Object(disk);
    return { ...Object(disk), ...(source === 'image' && { uuid: Object(rest)['imageRef'] }) };
  });
  const mapping = filled.length > 0 ? { block_device_mapping_v2: filled } : {};
  return { ...body, server: { ...rest, ...mapping } };
}

function stateOf({ status, raw }: Thing): State {
  const task = raw['OS-EXT-STS:task_state'];
  const isGoing = ['DELETED', 'SOFT_DELETED'].includes(status) || task === 'deleting';
  const words = typeof task === 'string' ? `${status}, ${task}` : status;
  if (isGoing) return { is: 'going', words };
  if (status === 'BUILD') return { is: 'coming', words };
  return { is: status === 'ERROR' ? 'failed' : 'ready', words };
}

function deathOf({ name, status, raw }: Thing): Death {
  const { message } = Object(raw['fault']);
  const cause = typeof message === 'string' ? message : 'Nova does not say why';
  return {
    meaning: meaningOfFault(cause),
    message: `OpenStack: server ${name} has the status ${status}: ${cause}`,
  };
}

export function instanceOf({ ref, name, raw }: Thing, { region }: Account): Instance {
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
  { ref, name }: Thing,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await orAbsent(
    account.send('compute', {
      what: `read the console of server ${name}`,
      method: 'POST',
      path: `/servers/${ref}/action`,
      body: { 'os-getConsoleOutput': { length: consoleLines } },
      signal,
    }),
  );
  return answer && String(Object(answer.json)['output'] ?? '');
}

/** In place of ours; those of others stay. */
export async function retag(
  account: Account,
  { thing, tags, signal }: { thing: Thing; tags: Record<string, string>; signal: AbortSignal },
): Promise<undefined> {
  const others = textsIn(thing.raw['tags']).filter((text) => !text.startsWith(ownPrefix));
  await account.send('compute', {
    what: `tag server ${thing.name}`,
    method: 'PUT',
    path: `/servers/${thing.ref}/tags`,
    body: { tags: [...others, ...ownTexts(tags)] },
    signal,
  });
}

/** Nova takes 64 KiB. */
export function userDataFaults(request: CreateRequest): string[] {
  const size = base64UserData(request).length;
  return size <= 65_535
    ? []
    : [`userData: ${size} bytes in base64 are more than the 65535 that Nova takes`];
}
