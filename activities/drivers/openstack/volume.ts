/** The volume that a server boots from, where the class says of which type it is. */
import type { Body, MakeCall, Making, Part, Plan } from '../frame/cloud.ts';
import { tagsFor } from '../frame/tags.ts';
import type { Account } from './client.ts';
import { meaningOfFault } from './errors.ts';
import { partIDOf, partIn } from './provider-id.ts';
import { metadataOf, specOf } from './spec.ts';
import { tagSpelling } from './tags.ts';
import {
  callsOf,
  imageOf,
  resourceOf,
  type Content,
  type OpenStackCloud,
  type StackResource,
} from './resource.ts';

const volumes = callsOf('volume', 'volume');

/** A cloud need not have Cinder. */
async function all(account: Account, query: string, signal: AbortSignal): Promise<StackResource[]> {
  return (await account.has('volume', signal)) ? await volumes.all(account, query, signal) : [];
}

/** While it is so, Cinder refuses to delete it, or does. */
const busy = /^(reserved|in-use|detaching|attaching|deleting|downloading|creating)$/;

export const volume: Part<OpenStackCloud> = {
  kind: 'volume',
  read: volumes.read,
  async search(account, { machine: { name }, signal }) {
    const found = await all(account, `/detail?name=${encodeURIComponent(name)}`, signal);
    // Cinder takes no notice of a filter that its operator has not allowed.
    return found.filter((thing) => thing.name === name);
  },
  list: (account, { signal }) => all(account, '/detail', signal),
  bodies,
  make,
  stateOf({ status: words }) {
    if (words === 'available' || words === 'in-use') return { is: 'ready', words };
    if (words.startsWith('error')) return { is: 'failed', words };
    return { is: words === 'deleting' ? 'going' : 'coming', words };
  },
  deathOf: ({ name, status }) => ({
    meaning: meaningOfFault(status),
    message: `OpenStack: volume ${name} has the status ${status}: Cinder does not say why`,
  }),
  async remove(account, { ref, status }, signal) {
    if (!busy.test(status)) await volumes.remove(account, ref, signal);
    return 'going';
  },
  providerIDOf: ({ ref }, { region }) => partIDOf(region, 'volume', ref),
  refIn: (providerID) => partIn('volume', providerID),
};

function bodies({ request }: Plan<OpenStackCloud>): Body<Content>[] {
  const spec = specOf(request.providerSpec);
  const { rootDiskSize = 0, rootDiskType, imageID, imageName = '' } = spec;
  if (!rootDiskType || rootDiskSize === 0) return [];
  const { name } = request.machine;
  const body = {
    name,
    size: rootDiskSize,
    volume_type: rootDiskType,
    availability_zone: spec.availabilityZone,
    metadata: tagsFor(metadataOf(spec.tags), request, tagSpelling),
    ...(imageID && { imageRef: imageID }),
  };
  return [{ name, content: { body, ...(!imageID && { imageName }) } }];
}

async function make(
  account: Account,
  { body: { content }, signal }: MakeCall<OpenStackCloud>,
): Promise<Making<OpenStackCloud>> {
  const body = { ...content.body, ...(await imageOf(account, content, signal)) };
  return { thing: resourceOf(await volumes.create(account, { volume: body }, signal)) };
}

/** Those of a server get the tags of this control cluster. */
export async function takeVolumesOver(
  account: Account,
  { name, raw }: StackResource,
  signal: AbortSignal,
): Promise<void> {
  const attached: unknown = raw['os-extended-volumes:volumes_attached'];
  for (const { id } of Array.isArray(attached) ? attached.map(Object) : []) {
    const thing = await volumes.read(account, String(id), signal);
    if (thing?.name !== name) continue;
    const body = { metadata: { [tagSpelling.names.cluster]: account.cluster } };
    const { ref } = thing;
    await volumes.change(account, { ref, method: 'POST', at: '/metadata', body, signal });
  }
}
