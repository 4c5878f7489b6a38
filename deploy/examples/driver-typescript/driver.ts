/**
 * A small and complete driver, for a cloud that there is not: Acme has POST, GET and DELETE on
 * /servers. A real one lies in activities/drivers/<provider> and is listed in
 * activities/drivers/index.ts; docs/writing-a-driver.md goes through it.
 */
import { DriverError } from '../../../activities/drivers/driver.ts';
import type {
  CreatedInstance,
  CreateRequest,
  Driver,
  Instance,
  ListRequest,
  MachineRequest,
  ProviderRequest,
} from '../../../activities/drivers/driver.ts';
import { meanings } from '../../../activities/drivers/error-meanings.ts';
import type { ErrorTable, MeaningName } from '../../../activities/drivers/error-meanings.ts';
import { notOurs } from '../../../activities/drivers/named-instance.ts';
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
};

interface Server {
  id: string;
  name: string;
  labels: Record<string, string>;
}

/** `url`: of the process, never of a MachineClass. */
export function createAcmeDriver({ url }: { url: string }): Driver {
  return {
    settleSeconds: 10,
    createInstance: (request) => createInstance(url, request),
    async describeInstance(request) {
      const server = await find(url, request);
      return server && instanceOf(server);
    },
    async initializeInstance(request) {
      const server = await find(url, request);
      if (server) return instanceOf(server);
      throw failure('missing', `the instance of ${request.machine.name} is gone`);
    },
    async deleteInstance(request) {
      const server = await find(url, request);
      // A Machine can name any server of its namespace.
      if (server && !isMadeFor(server, request)) throw notOurs(request);
      return await remove(url, request, server);
    },
    async listInstances(request) {
      const servers = await serversOf(url, request);
      return servers
        .map(({ id, name }) => ({ providerID: providerIdOf(id), machineName: name }))
        .toSorted((a, b) => (a.providerID < b.providerID ? -1 : 1));
    },
    // One credential sees everything: there are no regions.
    listScope: () => '',
    async deleteListed(request) {
      const servers = await serversOf(url, request);
      const server = servers.find(({ id }) => providerIdOf(id) === request.providerID);
      return await remove(url, request, server);
    },
    volumeIds: async (volumes) =>
      volumes.flatMap(({ csi }) =>
        csi?.driver === 'csi.acme.example' && csi.volumeHandle ? [csi.volumeHandle] : [],
      ),
    validate,
  };
}

async function createInstance(url: string, request: CreateRequest): Promise<CreatedInstance> {
  const existing = await find(url, request);
  if (existing) return { ...instanceOf(existing), found: true };
  const { machine, cluster, token, providerID, providerSpec, userData } = request;
  if (providerID !== undefined) throw failure('missing', `${providerID} does not exist`);
  const faults = validate(providerSpec);
  if (faults.length > 0) throw failure('input', faults.join('; '));
  const labels = labelsOf({ cluster, namespace: machine.namespace });
  const body = {
    ...Object(providerSpec),
    name: machine.name,
    // Acme makes one server for each key, however often it is sent.
    idempotencyKey: token,
    labels: { ...labels, 'millwright.dev/token': token },
    userData,
  };
  const call: Call = { method: 'POST', path: '/servers', body };
  const { server } = await send<{ server: Server }>(url, request, call);
  return { ...instanceOf(server), found: false };
}

async function find(url: string, request: MachineRequest): Promise<Server | undefined> {
  const { machine, providerID, token, isClaimed } = request;
  const servers = await serversOf(url, { ...request, namespace: machine.namespace });
  if (providerID !== undefined) return servers.find(({ id }) => providerIdOf(id) === providerID);
  const byToken = servers.find(({ labels }) => labels['millwright.dev/token'] === token);
  if (byToken) return byToken;
  for (const server of servers.filter(({ name }) => name === machine.name)) {
    if (!(await isClaimed(providerIdOf(server.id)))) return server;
  }
  return undefined;
}

function isMadeFor({ name, labels }: Server, { machine, token }: MachineRequest): boolean {
  return name === machine.name || labels['millwright.dev/token'] === token;
}

/** With our labels: what another cluster or a person made is none of our business. */
async function serversOf(url: string, request: ListRequest): Promise<Server[]> {
  const path = `/servers?${new URLSearchParams(labelsOf(request)).toString()}`;
  const { servers } = await send<{ servers: Server[] }>(url, request, { method: 'GET', path });
  return servers;
}

async function remove(
  url: string,
  request: ProviderRequest,
  server: Server | undefined,
): Promise<{ found: boolean }> {
  if (!server) return { found: false };
  // Acme answers when the server is gone.
  await send(url, request, { method: 'DELETE', path: `/servers/${server.id}` });
  return { found: true };
}

interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: object;
}

async function send<T>(url: string, request: ProviderRequest, call: Call): Promise<T> {
  const { method, path, body } = call;
  try {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${request.secret['token'] ?? ''}` },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(30_000)]),
    });
    const text = await answer.text();
    if (!answer.ok) throw refusal(call, text);
    const content: T = JSON.parse(text);
    return content;
  } catch (error) {
    if (error instanceof DriverError) throw error;
    // The request may have been carried out.
    throw failure(request.signal.aborted ? 'cancelled' : 'unanswered', `Acme: ${method} ${path}`);
  }
}

function refusal({ method }: Call, text: string): DriverError {
  const { code = '', message = text }: { code?: string; message?: string } = JSON.parse(text);
  // Only a create says that nothing was made: the search before it found nothing.
  const isCreate = method === 'POST';
  return failure(errors[code] ?? 'unknown', `Acme: ${code}: ${message}`, isCreate);
}

function failure(name: MeaningName, message: string, canBeSettled = true): DriverError {
  const { isRefusal, ...meaning } = meanings[name];
  return new DriverError({ ...meaning, message, settled: isRefusal && canBeSettled });
}

const providerIdOf = (id: string): string => `acme:///${id}`;

function labelsOf(owner: { cluster: string; namespace: string }): Record<string, string> {
  return {
    'millwright.dev/cluster': owner.cluster,
    'millwright.dev/namespace': owner.namespace,
  };
}

function instanceOf({ id, name }: Server): Instance {
  return { providerID: providerIdOf(id), nodeName: name, isInitialized: true };
}
