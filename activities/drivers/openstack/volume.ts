/** The volume that a server boots from, where the class says of which type it is. */
import type { MakeCall, Making, Part, Plan } from '../frame/cloud.ts';
import { orAbsent } from '../frame/http.ts';
import { pagesOf, type Account } from './client.ts';
import { meaningOfFault } from './errors.ts';
import { partIDOf, partIn } from './provider-id.ts';
import { metadataOf, specOf } from './spec.ts';
import { allTagsOf, imageOf, timeOf } from './thing.ts';
import type { Content, OpenStackCloud, Thing } from './thing.ts';

export const volume: Part<OpenStackCloud> = {
  kind: 'volume',
  async read(account, ref, signal) {
    const what = `read volume ${ref}`;
    const call = { what, method: 'GET', path: `/volumes/${ref}`, signal } as const;
    const answer = await orAbsent(account.send('volume', call));
    return answer && viewOf(Object(answer.json)['volume']);
  },
  search: async (account, { machine: { name }, signal }) => {
    const path = `/volumes/detail?name=${encodeURIComponent(name)}`;
    const found = await volumesBy(account, path, signal);
    return found.filter((thing) => thing.name === name);
  },
  list: async (account, { signal }) => await volumesBy(account, '/volumes/detail', signal),
  bodies,
  make,
  stateOf({ status }) {
    const words = status;
    if (status === 'available' || status === 'in-use') return { is: 'ready', words };
    if (status.startsWith('error')) return { is: 'failed', words };
    return { is: status === 'deleting' ? 'going' : 'coming', words };
  },
  deathOf: ({ name, status }) => ({
    meaning: meaningOfFault(status),
    message: `OpenStack: volume ${name} has the status ${status}: Cinder does not say why`,
  }),
  async remove(account, { ref, status }, signal) {
    // Cinder refuses one that its server has not let go of yet.
    if (/^(in-use|detaching|attaching|deleting|downloading|creating)$/.test(status)) return 'going';
    const what = `delete volume ${ref}`;
    const call = { what, method: 'DELETE', path: `/volumes/${ref}`, signal } as const;
    await orAbsent(account.send('volume', call));
    return 'going';
  },
  providerIDOf: ({ ref }, { region }) => partIDOf(region, 'volume', ref),
  refIn: (providerID) => partIn('volume', providerID),
};

function viewOf(raw: unknown): Thing {
  const it: Record<string, unknown> = Object(raw);
  return {
    ref: String(it['id']),
    name: String(it['name']),
    tags: metadataOf(it['metadata']),
    createdAt: timeOf(it['created_at']),
    status: String(it['status']),
    raw: it,
  };
}

async function volumesBy(account: Account, path: string, signal: AbortSignal): Promise<Thing[]> {
  if (!(await account.has('volume', signal))) return [];
  const call = { what: 'look for volumes', path, key: 'volumes', signal };
  return (await pagesOf(account, 'volume', call)).map(viewOf);
}

function bodies({ request }: Plan<OpenStackCloud>): { name: string; content: Content }[] {
  const spec = specOf(request.providerSpec);
  const { rootDiskSize = 0, rootDiskType, imageID, imageName = '' } = spec;
  if (!rootDiskType || rootDiskSize === 0) return [];
  const { name } = request.machine;
  const body = {
    name,
    size: rootDiskSize,
    volume_type: rootDiskType,
    availability_zone: spec.availabilityZone,
    metadata: allTagsOf(spec, request),
    ...(imageID && { imageRef: imageID }),
  };
  return [{ name, content: { body, ...(!imageID && { imageName }) } }];
}

async function make(
  account: Account,
  { body: { name, content }, signal }: MakeCall<OpenStackCloud>,
): Promise<Making<OpenStackCloud>> {
  const image = await imageOf(account, content, signal);
  const answer = await account.send('volume', {
    what: `create volume ${name}`,
    method: 'POST',
    path: '/volumes',
    body: { volume: { ...content.body, ...image } },
    signal,
    isCreate: true,
  });
  return { thing: viewOf(Object(answer.json)['volume']) };
}
