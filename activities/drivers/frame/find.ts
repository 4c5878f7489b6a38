/** Which things of a cloud are a Machine's. */
import { nowMs } from '../../system/system.ts';
import { DriverError, type MachineRequest } from '../driver.ts';
import { notOurs } from '../named-instance.ts';
import type { EarlierOwner } from './checkpoint.ts';
import type { Cloud, CloudTypes, Part } from './cloud.ts';
import { belongsTo, hasToken, isMadeFor, isOfMachine, isTagged } from './tags.ts';
import { pending, type Waiting } from './wait.ts';

/** A call of a driver, with what it needs. */
export interface Asking<T extends CloudTypes> {
  cloud: Cloud<T> & Waiting;
  account: T['account'];
  request: MachineRequest;
  /** Of a deletion: parts of these are the Machine's as well. */
  owners?: readonly EarlierOwner[];
}

export interface Found<T extends CloudTypes> {
  thing: T['thing'];
  /** False: it only has the name. */
  isOwn: boolean;
}

/** With a providerID the instance that it names, otherwise the one with the token, or the name. */
export async function findOne<T extends CloudTypes>(
  asking: Asking<T>,
): Promise<Found<T> | undefined> {
  const { cloud, account, request } = asking;
  const { instance: part } = cloud;
  if (request.providerID !== undefined) {
    // One of a part names no instance.
    const ref = namedRef(part, request);
    const thing = ref === undefined ? ref : await part.read(account, ref, request.signal);
    if (!thing) return undefined;
    if (!hasToken(thing, request.token, cloud.tags) && !isMadeFor(cloud, thing, request))
      throw notOurs(request);
    return { thing, isOwn: true };
  }
  const things = await part.search(account, request);
  const own = await findOwn(asking, part, things);
  if (own) return { thing: own, isOwn: true };
  const stranger = things.find((thing) => isOfMachine(cloud, thing, request.machine));
  return stranger && { thing: stranger, isOwn: false };
}

/** Of things that a search has found; several without the token: `OutOfRange`. */
export async function findOwn<T extends CloudTypes>(
  asking: Asking<T>,
  part: Part<T>,
  things: readonly T['thing'][],
): Promise<T['thing'] | undefined> {
  const { cloud, account, request } = asking;
  const byToken = things.find((thing) => hasToken(thing, request.token, cloud.tags));
  if (byToken) return byToken;
  const own = await ownOf(asking, part, things);
  if (own.length === 0) requireTagged(asking, part, things);
  if (own.length < 2) return own[0];
  const ids = own.map((thing) => idIn(part.providerIDOf(thing, account))).toSorted();
  throw new DriverError({
    code: 'OutOfRange',
    message: `several ${part.kind}s are called ${own[0]?.name}: ${ids.join(', ')}. Delete those that are not wanted`,
    settled: false,
  });
}

const idIn = (providerID: string): string => providerID.slice(providerID.lastIndexOf('/') + 1);

/** Where tags come late, a young namesake without any may be what a lost create made. */
export function requireTagged<T extends CloudTypes>(
  { cloud }: Asking<T>,
  { kind }: Part<T>,
  things: readonly T['thing'][],
): void {
  if (!cloud.tagsComeLate) return;
  const youngest = nowMs() - cloud.settleSeconds * 1_000;
  const young = things.find(
    (thing) => !isTagged(thing, cloud.tags) && (thing.createdAt ?? 0) > youngest,
  );
  if (young) throw pending(cloud, `${kind} ${young.name} has no ${cloud.tags.word}s yet`);
}

/** Everything of one kind that is the Machine's: what its providerID names, and what is found. */
export async function findAll<T extends CloudTypes>(
  asking: Asking<T>,
  part: Part<T>,
): Promise<T['thing'][]> {
  const { account, request } = asking;
  const found = await part.search(account, request);
  const ref = namedRef(part, request);
  const isAmongThem = ref === undefined || found.some((thing) => thing.ref === ref);
  const named = isAmongThem ? undefined : await part.read(account, ref, request.signal);
  return await ownOf(asking, part, named ? [named, ...found] : found);
}

async function ownOf<T extends CloudTypes>(
  asking: Asking<T>,
  part: Part<T>,
  things: readonly T['thing'][],
): Promise<T['thing'][]> {
  const own = await Promise.all(things.map(async (thing) => await isOwn(asking, part, thing)));
  return things.filter((_thing, index) => own[index]);
}

async function isOwn<T extends CloudTypes>(
  asking: Asking<T>,
  part: Part<T>,
  thing: T['thing'],
): Promise<boolean> {
  const { cloud, account, request } = asking;
  const { cluster, machine, providerSpec, token } = request;
  if (hasToken(thing, token, cloud.tags)) return true;
  const isNamed = namedRef(part, request) === thing.ref;
  const owner = { cluster, namespace: machine.namespace, providerSpec };
  if (!isNamed) {
    // A search that knows beginnings or patterns of names finds other Machines' things as well.
    if (!isOfMachine(cloud, thing, machine)) return false;
    if (!belongsTo(cloud, thing, owner) && !isOfEarlierOwner(asking, part, thing)) return false;
  }
  if (await request.isClaimed(part.providerIDOf(thing, account))) return false;
  if (isNamed && !isMadeFor(cloud, thing, request)) throw notOurs(request);
  return true;
}

/** An instance that was adopted from another cluster has parts with the tags of that cluster. */
function isOfEarlierOwner<T extends CloudTypes>(
  { cloud, request, owners = [] }: Asking<T>,
  part: Part<T>,
  thing: T['thing'],
): boolean {
  const { names } = cloud.tags;
  const isOf = ({ cluster, token }: EarlierOwner): boolean =>
    thing.tags[names.cluster] === cluster && thing.tags[names.token] === token;
  return part !== cloud.instance && owners.some(isOf) && isMadeFor(cloud, thing, request);
}

function namedRef<T extends CloudTypes>(
  { refIn }: Part<T>,
  { providerID }: MachineRequest,
): string | undefined {
  return providerID === undefined ? undefined : refIn(providerID);
}
