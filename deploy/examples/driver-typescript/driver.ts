/**
 * A small and complete driver, for a cloud that there is not: Acme has POST, GET and DELETE on
 * /servers. It describes Acme, and the frame makes a driver of the description. A real one lies in
 * activities/drivers/<provider>; docs/writing-a-driver.md goes through it.
 */
import { ClientCache } from '../../../activities/drivers/client-cache.ts';
import type { Driver, Instance } from '../../../activities/drivers/driver.ts';
import type { ErrorTable } from '../../../activities/drivers/error-meanings.ts';
import type {
  Cloud,
  Part,
  Resource,
  TagSpelling,
} from '../../../activities/drivers/frame/cloud.ts';
import { driverOf, type FrameOptions } from '../../../activities/drivers/frame/driver.ts';
import { fault } from '../../../activities/drivers/frame/fault.ts';
import { createRestClient, orAbsent } from '../../../activities/drivers/frame/http.ts';
import type { Refusal, RestAnswer, RestClient } from '../../../activities/drivers/frame/http.ts';
import { ownerTags, tagsFor, usualNames } from '../../../activities/drivers/frame/tags.ts';
import { specCheck } from '../../../activities/drivers/spec-schema.ts';

const validate = specCheck({
  type: 'object',
  required: ['plan'],
  properties: { plan: { enum: ['s', 'm'], description: '2 or 4 CPUs' } },
});

/** From Acme's codes. What is not here is `unknown`: not settled, and tried again. */
const errors: ErrorTable = {
  rate_limit: 'throttling',
  no_stock: 'capacity',
  limit_reached: 'quota',
  bad_token: 'unauthenticated',
  bad_plan: 'input',
  not_found: 'missing',
  key_spent: 'spent',
};

const states = { booting: 'coming', up: 'ready', ending: 'going', broken: 'failed' } as const;

const tags: TagSpelling = {
  word: 'label',
  names: usualNames,
  allowed: /^[-\w.]{1,63}$/,
};

interface Server extends Resource {
  status: keyof typeof states;
}

interface Acme {
  account: RestClient;
  thing: Server;
  content: object;
}

/** `url`: of the process, never of a MachineClass. */
export function createAcmeDriver({ url }: { url: string }, options?: FrameOptions): Driver {
  const clients = new ClientCache<RestClient>({ close: (client) => void client.close() });
  const acme: Cloud<Acme> = {
    title: 'Acme',
    settleSeconds: 10,
    account: async ({ secret: { token = '' } }) =>
      clients.get([token], () => clientOf(url, { authorization: `Bearer ${token}` })),
    parts: [],
    instance: server,
    // Acme makes one server for each key, however often it is sent.
    uniqueness: { by: 'token' },
    tags,
    // MCM has no driver for Acme: what has no labels of ours is not ours.
    isOfClass: () => false,
    instanceOf,
    validate,
    // One credential sees everything: there are no regions.
    listScope: () => '',
    volumeIds: async (volumes) =>
      volumes.flatMap(({ csi }) => (csi?.driver === 'csi.acme.example' && csi.volumeHandle) || []),
  };
  return driverOf(acme, options);
}

function clientOf(url: string, own: Record<string, string>): RestClient {
  return createRestClient({
    title: 'Acme',
    url: new URL(url),
    callTimeoutSeconds: 30,
    headers: () => own,
    env: process.env,
    refusalIn,
    requestIdHeader: 'x-request-id',
  });
}

/** `{"code": "no_stock", "message": "..."}`; what has no code is no answer of Acme. */
function refusalIn({ json }: RestAnswer): Refusal | undefined {
  const { code, message } = Object(json);
  if (typeof code !== 'string') return undefined;
  return { meaning: errors[code] ?? 'unknown', code, words: String(message) };
}

const providerIDOf = ({ ref }: Resource): string => `acme:///${ref}`;

function instanceOf(thing: Server): Instance {
  return { providerID: providerIDOf(thing), nodeName: thing.name, isInitialized: true };
}

const server: Part<Acme> = {
  kind: 'server',
  async read(client, id, signal) {
    const call = { what: `read server ${id}`, method: 'GET', path: `/servers/${id}` } as const;
    const answer = await orAbsent(client.send({ ...call, signal }));
    return answer && serversIn(answer)[0];
  },
  search: (client, { machine: { name }, signal }) => list(client, { name }, signal),
  list: (client, request) => list(client, { ...ownerTags(request, tags) }, request.signal),
  bodies({ request }) {
    const { machine, providerSpec, userData } = request;
    const { name } = machine;
    const labels = tagsFor({}, request, tags);
    return [{ name, content: { ...Object(providerSpec), name, labels, userData } }];
  },
  async make(client, { body: { name, content }, token, signal }) {
    const body = { ...content, idempotencyKey: token };
    const call = { what: `create server ${name}`, method: 'POST', path: '/servers', body } as const;
    const answer = await client.send({ ...call, isCreate: true, signal });
    const [thing] = serversIn(answer);
    if (!thing) throw fault('unknown', 'Acme: the answer has no server');
    return { thing, isFound: answer.status === 200 };
  },
  stateOf: ({ status }) => ({ is: states[status], words: status }),
  async remove(client, { ref }, signal) {
    const call = {
      what: `delete server ${ref}`,
      method: 'DELETE',
      path: `/servers/${ref}`,
    } as const;
    return (await orAbsent(client.send({ ...call, signal }))) ? 'going' : 'gone';
  },
  providerIDOf,
  refIn(providerID) {
    const [, id] = /^acme:\/\/\/([-\w]+)$/.exec(providerID) ?? [];
    if (id !== undefined) return id;
    throw fault('input', `spec.providerID: "${providerID}" is not of the form acme:///ID`);
  },
};

type Query = Record<string, string>;

async function list(client: RestClient, query: Query, signal: AbortSignal): Promise<Server[]> {
  const path = `/servers?${new URLSearchParams(query).toString()}`;
  return serversIn(await client.send({ what: 'list servers', method: 'GET', path, signal }));
}

/** Acme answers with a list, also where it is one. Without it nothing is known. */
function serversIn({ json }: RestAnswer): Server[] {
  const { servers } = Object(json);
  if (!Array.isArray(servers)) throw fault('unknown', 'Acme: the answer has no list of servers');
  return servers.map(({ id, name, status, labels }) => ({ ref: id, name, status, tags: labels }));
}
