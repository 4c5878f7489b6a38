/** The floating IP of a server: made and assigned when it is initialised, deleted after it. */
import type { MachineRequest } from '../driver.ts';
import type { Part } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent, type RestClient } from '../frame/http.ts';
import { ownerTags, tagValue } from '../frame/tags.ts';
import { nextPause, pausesWithin } from '../frame/wait.ts';
import { listThings, readThing, title, type FloatingIp } from './client.ts';
import { labelSpelling, poolLabel, roleLabel, selectorOf } from './labels.ts';
import { floatingIpIn, lacksFloatingIp, listOwned, resourceOf, serverPart } from './server.ts';
import type { HetznerCloud, HetznerThing } from './server.ts';

const collection = 'floating_ips';

/** As MCM's driver calls it. */
const nameOf = (pool: string, machine: string): string => `${pool}-${machine}-ipv4`;

function viewOf(floatingIp: FloatingIp): HetznerThing {
  const { name, labels } = floatingIp;
  const start = (labels[poolLabel] ?? '').length + 1;
  return { ...resourceOf(floatingIp), machineName: name.slice(start, -'-ipv4'.length) };
}

export const floatingIpPart: Part<HetznerCloud> = {
  kind: 'floating IP',
  async read(account, ref, signal) {
    const found = await readThing(account, { kind: 'floating_ip', ref, signal });
    return found && viewOf(found);
  },
  search,
  list: async (account, request) =>
    (await listOwned<FloatingIp>(account, collection, request)).map(viewOf),
  // It comes after the server, which it is assigned to.
  bodies: () => [],
  make: () => Promise.reject(new Error('it is made when its server is initialised')),
  stateOf: () => ({ is: 'ready', words: 'there' }),
  async remove({ send }, { name, ref }, signal) {
    const what = `delete floating IP ${name}`;
    await orAbsent(send({ what, method: 'DELETE', path: `/floating_ips/${ref}`, signal }));
    return 'gone';
  },
  providerIDOf: ({ ref }) => `hcloud:///floating-ips/${ref}`,
  refIn: floatingIpIn,
};

/** By our labels, whatever became of the class, and by the name that this class gives. */
async function search(account: RestClient, request: MachineRequest): Promise<HetznerThing[]> {
  const { cluster, machine, providerSpec, signal } = request;
  const selector = selectorOf({
    ...ownerTags({ cluster, namespace: machine.namespace }, labelSpelling),
    [labelSpelling.names.machineUid]: tagValue(machine.uid, labelSpelling),
  });
  const { floatingPoolName: pool } = Object(providerSpec);
  const named = typeof pool === 'string' ? [{ name: nameOf(pool, machine.name) }] : [];
  const queries = [{ label_selector: selector }, ...named];
  return (await listThings<FloatingIp>(account, { of: collection, queries }, signal)).map(viewOf);
}

/** Made for its server. What is there already may be on its way to it, after an answer was lost. */
export async function assign(
  account: RestClient,
  thing: HetznerThing,
  signal: AbortSignal,
): Promise<HetznerThing> {
  const name = nameOf(thing.tags[poolLabel] ?? '', thing.name);
  const { [roleLabel]: _, ...labels } = thing.tags;
  const body = { type: 'ipv4', name, server: Number(thing.ref), labels };
  let end: unknown = fault('unavailable', `${title}: floating IP ${name} is being assigned`);
  try {
    const what = `create floating IP ${name}`;
    await account.send({ what, method: 'POST', path: '/floating_ips', body, signal });
  } catch (error) {
    if (Object(error)['code'] !== 'AlreadyExists') throw error;
    end = error;
  }
  const pauses = pausesWithin({ limitSeconds: 20, firstPauseSeconds: 1 }, signal);
  do {
    const server = await serverPart.read(account, thing.ref, signal);
    if (server && !lacksFloatingIp(server)) return server;
  } while (await nextPause({ title, poll: { young: 1, old: 1 } }, pauses));
  throw end;
}
