/** The floating IP of a server: made before it, assigned once it is there, deleted after it. */
import type { ListRequest, MachineRequest } from '../driver.ts';
import type { MakeCall, Making, Part } from '../frame/cloud.ts';
import { DriverError } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent } from '../frame/http.ts';
import { ownerTags, tagsFor, tagValue } from '../frame/tags.ts';
import { nextPause, pausesWithin } from '../frame/wait.ts';
import { actionOf, listAll, objectIn, title } from './client.ts';
import type { FloatingIp, Hetzner } from './client.ts';
import {
  clusterLabel,
  labelSpelling,
  locationOf,
  ownerSelector,
  poolLabel,
  poolLabels,
  selectorOf,
  withoutOurs,
} from './labels.ts';
import {
  floatingIpIn,
  lacksFloatingIp,
  operationOf,
  serverPart,
  type HetznerCloud,
  type HetznerThing,
} from './server.ts';
import { specOf } from './validate.ts';

/** As MCM's driver calls it. */
const nameOf = (pool: string, machine: string): string => `${pool}-${machine}-ipv4`;

function viewOf(floatingIp: FloatingIp): HetznerThing {
  const { id, name, labels, created } = floatingIp;
  const pool = labels[poolLabel] ?? '';
  return {
    ref: String(id),
    name,
    machineName: name.slice(pool.length + 1, -'-ipv4'.length),
    tags: labels,
    createdAt: Date.parse(created),
    floatingIp,
  };
}

export const floatingIpPart: Part<HetznerCloud> = {
  kind: 'floating IP',
  async read({ send }, ref, signal) {
    const what = `get floating IP ${ref}`;
    const path = `/floating_ips/${ref}`;
    const answer = await orAbsent(send({ what, method: 'GET', path, signal }));
    return answer && viewOf(objectIn(what, answer, 'floating_ip'));
  },
  search,
  list: listFloatingIps,
  bodies({ request }) {
    const spec = specOf(request.providerSpec);
    const { floatingPoolName } = spec;
    if (floatingPoolName === undefined) return [];
    const name = nameOf(floatingPoolName, request.machine.name);
    const labels = tagsFor(poolLabels(spec), request, labelSpelling);
    return [
      {
        name,
        content: { fields: { type: 'ipv4', name, home_location: locationOf(spec), labels } },
      },
    ];
  },
  make,
  stateOf: () => ({ is: 'ready', words: 'there' }),
  protectionOf: ({ name, floatingIp }) =>
    floatingIp?.protection?.delete
      ? `floating IP ${name} is protected against deletion: switch the protection off in Hetzner's console`
      : undefined,
  async remove({ send }, { name, ref }, signal) {
    const what = `delete floating IP ${name}`;
    await orAbsent(send({ what, method: 'DELETE', path: `/floating_ips/${ref}`, signal }));
    return 'gone';
  },
  providerIDOf: ({ ref }) => `hcloud:///floating-ips/${ref}`,
  refIn: floatingIpIn,
};

async function floatingIpsBy(
  account: Hetzner,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<HetznerThing[]> {
  const collection = 'floating_ips';
  return (await listAll<FloatingIp>(account, { collection, query }, signal)).map(viewOf);
}

/** By our labels, whatever became of the class, and by the name that this class gives. */
async function search(account: Hetzner, request: MachineRequest): Promise<HetznerThing[]> {
  const { cluster, machine, providerSpec, signal } = request;
  const own = {
    ...ownerTags({ cluster, namespace: machine.namespace }, labelSpelling),
    [labelSpelling.names.machineUid]: tagValue(machine.uid, labelSpelling),
  };
  const found = await floatingIpsBy(account, { label_selector: selectorOf(own) }, signal);
  const { floatingPoolName } = Object(providerSpec);
  if (typeof floatingPoolName !== 'string') return found;
  const name = nameOf(floatingPoolName, machine.name);
  const named = await floatingIpsBy(account, { name }, signal);
  return [...found, ...named.filter(({ ref }) => !found.some((other) => other.ref === ref))];
}

async function listFloatingIps(account: Hetzner, request: ListRequest): Promise<HetznerThing[]> {
  const { providerSpec, signal } = request;
  const { cluster, floatingPoolName } = Object(providerSpec);
  const ours = { label_selector: ownerSelector(request) };
  const found = await floatingIpsBy(account, ours, signal);
  if (typeof cluster !== 'string' || typeof floatingPoolName !== 'string') return found;
  const ofMcm = selectorOf({ [clusterLabel]: cluster, [poolLabel]: floatingPoolName });
  const others = { label_selector: withoutOurs(ofMcm) };
  return [...found, ...(await floatingIpsBy(account, others, signal))];
}

async function make(
  account: Hetzner,
  { body, token, signal }: MakeCall<HetznerCloud>,
): Promise<Making<HetznerCloud>> {
  const what = `create floating IP ${body.name}`;
  const call = { what, method: 'POST', path: '/floating_ips', isCreate: true, signal } as const;
  try {
    const answer = await account.send({ ...call, body: body.content.fields });
    return { thing: viewOf(objectIn(what, answer, 'floating_ip')) };
  } catch (error) {
    const isTaken = error instanceof DriverError && error.code === 'AlreadyExists';
    if (!isTaken) throw error;
    const [found] = await floatingIpsBy(account, { name: body.name }, signal);
    // Another attempt of this token was quicker.
    const value = tagValue(token, labelSpelling);
    if (found?.tags[labelSpelling.names.token] === value) return { thing: found, isFound: true };
    throw error;
  }
}

const assignSeconds = 20;

/** Assigns it, and waits for that. */
export async function assign(
  account: Hetzner,
  thing: HetznerThing,
  signal: AbortSignal,
): Promise<HetznerThing> {
  const name = nameOf(thing.tags[poolLabel] ?? '', thing.name);
  const [found] = await floatingIpsBy(account, { name }, signal);
  if (!found) throw fault('precondition', `${title}: floating IP ${name} does not exist`);
  const server = Number(thing.ref);
  const call = {
    what: `assign floating IP ${name}`,
    method: 'POST',
    path: `/floating_ips/${found.ref}/actions/assign`,
    body: { server },
    signal,
  } as const;
  const begun = operationOf(thing.ref, await actionOf(account, call));
  return await assigned(account, { thing, name, operation: begun.name }, signal);
}

interface Assignment {
  thing: HetznerThing;
  name: string;
  operation: string;
}

async function assigned(
  account: Hetzner,
  { thing, name, operation }: Assignment,
  signal: AbortSignal,
): Promise<HetznerThing> {
  const pauses = pausesWithin({ limitSeconds: assignSeconds, firstPauseSeconds: 1 }, signal);
  const waiting = { title, poll: { young: 1, old: 1 } };
  do {
    const now = await serverPart.operation?.(account, { place: {}, name: operation, signal });
    if (now?.failure) throw now.failure('make', name, false);
    const server = await serverPart.read(account, thing.ref, signal);
    if (server && !lacksFloatingIp(server)) return server;
  } while (await nextPause(waiting, pauses));
  throw fault('unavailable', `${title}: floating IP ${name} is being assigned to ${thing.name}`);
}
