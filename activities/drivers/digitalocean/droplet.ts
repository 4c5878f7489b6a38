/** A droplet: what is asked for, how it is made once, and how the frame sees it. */
import { nowMs } from '../../system/system.ts';
import type { CreateRequest, Instance, ListRequest } from '../driver.ts';
import type { MakeCall, Making, Part, Resource, State } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { hasToken, isTagged, ownerTags, tagsFor } from '../frame/tags.ts';
import { deleteDroplet, dropletIn, listDroplets, readDroplet, title } from './client.ts';
import type { DigitalOceanAccount, Droplet } from './client.ts';
import { tagsIn, tagSpelling, wordsOf } from './tags.ts';
import { specOf } from './validate.ts';

/**
 * DigitalOcean says of no time after which its lists and tags are right; a create may be on its way
 * for a call.
 */
export const settleSeconds = 60;

export interface DropletThing extends Resource {
  droplet: Droplet;
}

export interface DigitalOceanCloud {
  account: DigitalOceanAccount;
  thing: DropletThing;
  content: Readonly<Record<string, unknown>>;
}

function viewOf(droplet: Droplet): DropletThing {
  const { id, name, tags, created_at: createdAt } = droplet;
  return {
    ref: String(id),
    name,
    tags: tagsIn(tags),
    createdAt: Date.parse(createdAt),
    droplet,
  };
}

export const dropletPart: Part<DigitalOceanCloud> = {
  kind: 'droplet',
  async read(account, ref, signal) {
    const found = await readDroplet(account, ref, signal);
    return found && viewOf(found);
  },
  search: (account, { machine, providerSpec, signal }) =>
    namesakes(account, { name: machine.name, ...typeQuery(providerSpec) }, signal),
  async list(account, request: ListRequest) {
    const [word = ''] = wordsOf(ownerTags(request, tagSpelling));
    const query = { tag_name: word, ...typeQuery(request.providerSpec) };
    return (await listDroplets(account, query, request.signal)).map(viewOf);
  },
  bodies: ({ request }) => [{ name: request.machine.name, content: bodyOf(request) }],
  make,
  stateOf,
  remove: deleteDroplet,
  providerIDOf: ({ ref }) => `digitalocean://${ref}`,
  refIn,
};

function refIn(providerID: string): string {
  const [, id] = /^digitalocean:\/\/([1-9]\d*)$/.exec(providerID) ?? [];
  if (id !== undefined) return id;
  throw fault('input', `spec.providerID: "${providerID}" is not of the form digitalocean://ID`);
}

/** Listings have GPU droplets apart. */
export function typeQuery(providerSpec: unknown): Readonly<Record<string, string>> {
  const { size } = Object(providerSpec);
  return typeof size === 'string' && size.startsWith('gpu-') ? { type: 'gpus' } : {};
}

/** The oldest first, so that of two of one token each search takes the same. */
async function namesakes(
  account: DigitalOceanAccount,
  query: Readonly<Record<string, string>> & { name: string },
  signal: AbortSignal,
): Promise<DropletThing[]> {
  const found = await listDroplets(account, query, signal);
  // The API compares without regard to capitals.
  const exact = found.filter(({ name }) => name === query.name);
  return exact.toSorted((a, b) => a.id - b.id).map(viewOf);
}

function bodyOf(request: CreateRequest): Readonly<Record<string, unknown>> {
  const spec = specOf(request.providerSpec);
  const { sshKeys = [], tags = [], vpcUUID, ipv6, publicNetworking } = spec;
  const { backups, monitoring, dropletAgent } = spec;
  return {
    name: request.machine.name,
    region: spec.region,
    size: spec.size,
    image: idOr(spec.image),
    ssh_keys: sshKeys.map(idOr),
    tags: wordsOf(tagsFor(tagsIn(tags), request, tagSpelling)),
    ...(request.userData !== '' && { user_data: request.userData }),
    ...(vpcUUID !== undefined && { vpc_uuid: vpcUUID }),
    ...(ipv6 !== undefined && { ipv6 }),
    ...(publicNetworking !== undefined && { public_networking: publicNetworking }),
    ...(backups !== undefined && { backups }),
    ...(monitoring !== undefined && { monitoring }),
    ...(dropletAgent !== undefined && { with_droplet_agent: dropletAgent }),
  };
}

const idOr = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text);

const userDataMax = 64 * 1_024;

export function createFaults({ userData }: CreateRequest): string[] {
  const size = Buffer.byteLength(userData);
  if (size <= userDataMax) return [];
  return [
    `the Secret's userData: ${size} bytes are more than the ${userDataMax} that DigitalOcean takes`,
  ];
}

async function make(
  account: DigitalOceanAccount,
  { body, token, signal }: MakeCall<DigitalOceanCloud>,
): Promise<Making<DigitalOceanCloud>> {
  const what = `create droplet ${body.name}`;
  const call = { what, method: 'POST', path: '/v2/droplets', isCreate: true, signal } as const;
  const { json } = await account.send({ ...call, body: body.content });
  const thing = viewOf(dropletIn(what, json));
  await giveWay(account, { thing, token, type: typeQuery(body.content) }, signal);
  return { thing };
}

interface Made {
  thing: DropletThing;
  token: string;
  type: Readonly<Record<string, string>>;
}

/**
 * Nothing refuses a second create, so the younger of two that see each other is deleted by the call
 * that made it. One without tags may be the other of this token, too.
 */
async function giveWay(
  account: DigitalOceanAccount,
  { thing, token, type }: Made,
  signal: AbortSignal,
): Promise<void> {
  const { name, droplet } = thing;
  const youngest = nowMs() - settleSeconds * 1_000;
  const found = await namesakes(account, { name, ...type }, signal);
  const older = found.find(
    (other) =>
      other.droplet.id < droplet.id &&
      (hasToken(other, token, tagSpelling) ||
        (!isTagged(other, tagSpelling) && (other.createdAt ?? 0) > youngest)),
  );
  if (!older) return;
  await deleteDroplet({ ...account, associated: [] }, thing, signal);
  const words = `${title}: droplet ${older.ref} of the name ${name} was made by another call at the same time; ${thing.ref} is deleted`;
  throw fault('conflict', words);
}

const states: Readonly<Record<string, State['is']>> = {
  new: 'coming',
  off: 'failed',
  archive: 'failed',
};

/** Between its make and its start a droplet may be off, and locked. */
function stateOf({ droplet: { status, locked = false } }: DropletThing): State {
  if (status === 'off' && locked) return { is: 'coming', words: status };
  return { is: states[status] ?? 'ready', words: status };
}

export function instanceOf({ name, ref, droplet: { networks = {} } }: DropletThing): Instance {
  const all = [...(networks.v4 ?? []), ...(networks.v6 ?? [])];
  return {
    providerID: `digitalocean://${ref}`,
    nodeName: name,
    addresses: [
      ...all.map(({ type, ip_address: address }) => ({
        type: type === 'private' ? 'InternalIP' : 'ExternalIP',
        address,
      })),
      { type: 'Hostname', address: name },
    ],
    isInitialized: true,
  };
}
