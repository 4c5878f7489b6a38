/** Calls of the API server of a host cluster. Each fails with a `DriverError` only. */
import { ClientCache } from '../client-cache.ts';
import { DriverError, type ProviderRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { createRestClient, orAbsent, type RestCall, type RestClient } from '../frame/http.ts';
import type { Environment } from '../settings.ts';
import { hostOf, type Host } from './credentials.ts';
import { refusalIn } from './errors.ts';

/** What is read of an object. */
export interface HostObject {
  metadata: {
    name: string;
    uid: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    /** RFC 3339. */
    creationTimestamp: string;
    deletionTimestamp?: string;
  };
  spec?: { runStrategy?: string };
  status?: {
    printableStatus?: string;
    conditions?: { type?: string; status?: string; message?: string }[];
  };
}

export interface Kind {
  /** In messages. */
  word: string;
  api: string;
  plural: string;
  /** Its content is never read. */
  isMetadataOnly?: boolean;
}

export const virtualMachines: Kind = {
  word: 'virtual machine',
  api: '/apis/kubevirt.io/v1',
  plural: 'virtualmachines',
};
export const secrets: Kind = {
  word: 'secret',
  api: '/api/v1',
  plural: 'secrets',
  isMetadataOnly: true,
};
const pods: Kind = { word: 'pod', api: '/api/v1', plural: 'pods', isMetadataOnly: true };

/** The namespace of a kubeconfig. */
export interface HostNamespace {
  read: (kind: Kind, name: string, signal: AbortSignal) => Promise<HostObject | undefined>;
  /** All pages. */
  list: (kind: Kind, selector: string, signal: AbortSignal) => Promise<HostObject[]>;
  create: (
    kind: Kind,
    body: { name: string; content: object },
    signal: AbortSignal,
  ) => Promise<HostObject>;
  /** A merge patch. Undefined when there is no such object. */
  patch: (kind: Kind, change: Change, signal: AbortSignal) => Promise<HostObject | undefined>;
  /** Exactly this one, and what it owns before it. */
  remove: (kind: Kind, object: Named, signal: AbortSignal) => Promise<'going' | 'gone'>;
  /** What a machine has printed to its console, where KubeVirt keeps that. */
  log: (name: string, signal: AbortSignal) => Promise<string>;
}

interface Named {
  name: string;
  uid?: string;
}

interface Change {
  name: string;
  content: object;
}

export function createHosts(
  env: Environment,
  callTimeoutSeconds: number,
): (request: ProviderRequest) => Promise<HostNamespace> {
  const clients = new ClientCache<RestClient>({ close: (client) => void client.close() });
  return async ({ secret }) => {
    const host = await hostOf(secret, env);
    const client = clients.get([JSON.stringify(host)], () => clientFor(host, callTimeoutSeconds));
    return namespaceOf(client, host.namespace);
  };
}

function clientFor(
  { server, proxyUrl, headers, tls }: Host,
  callTimeoutSeconds: number,
): RestClient {
  return createRestClient({
    title: 'KubeVirt',
    url: new URL(server),
    callTimeoutSeconds,
    headers: () => headers,
    tls,
    // That of the kubeconfig, else of the process, by the rules of kubectl.
    env: proxyUrl === undefined ? {} : { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl },
    refusalIn,
    requestIdHeader: 'audit-id',
  });
}

const pageLimit = 500;
/** Of a console; the core takes the last 4 KiB. */
const logLines = 500;

function namespaceOf(client: RestClient, namespace: string): HostNamespace {
  const pathOf = ({ api, plural }: Kind, name?: string): string =>
    `${api}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
  const send = async (kind: Kind, call: RestCall): Promise<unknown> =>
    (await client.send({ headers: acceptOf(kind), ...call })).json;
  const list = async (kind: Kind, selector: string, signal: AbortSignal): Promise<HostObject[]> => {
    const what = `list ${kind.word}s`;
    const found: HostObject[] = [];
    let next = '';
    do {
      const query = new URLSearchParams({ labelSelector: selector, limit: `${pageLimit}` });
      if (next !== '') query.set('continue', next);
      const path = `${pathOf(kind)}?${query.toString()}`;
      const headers = acceptOf(kind, 'List');
      const page = pageIn(what, await send(kind, { what, method: 'GET', path, headers, signal }));
      found.push(...page.items.map((item) => objectIn(what, item)));
      next = page.next;
    } while (next !== '');
    return found;
  };
  return {
    async read(kind, name, signal) {
      const what = `read ${kind.word} ${name}`;
      const path = pathOf(kind, name);
      const json = await orAbsent(send(kind, { what, method: 'GET', path, signal }));
      return json === undefined ? undefined : objectIn(what, json);
    },
    list,
    async create(kind, { name, content: body }, signal) {
      const what = `create ${kind.word} ${name}`;
      // A field that this KubeVirt does not know is refused, and not dropped.
      const path = `${pathOf(kind)}?fieldManager=millwright&fieldValidation=Strict`;
      const call = { what, method: 'POST', path, body, signal, isCreate: true } as const;
      return objectIn(what, await send(kind, call));
    },
    async patch(kind, { name, content: body }, signal) {
      const what = `change ${kind.word} ${name}`;
      const path = `${pathOf(kind, name)}?fieldManager=millwright`;
      const headers = { ...acceptOf(kind), 'content-type': 'application/merge-patch+json' };
      const call = { what, method: 'PATCH', path, body, headers, signal } as const;
      const json = await orAbsent(send(kind, call));
      return json === undefined ? undefined : objectIn(what, json);
    },
    async remove(kind, { name, uid }, signal) {
      const what = `delete ${kind.word} ${name}`;
      const body = {
        propagationPolicy: 'Foreground',
        ...(uid !== undefined && { preconditions: { uid } }),
      };
      const call = { what, method: 'DELETE', path: pathOf(kind, name), body, signal } as const;
      return (await orAbsent(send(kind, call).catch(unlessAnother))) === undefined
        ? 'gone'
        : 'going';
    },
    async log(name, signal) {
      const selector = `kubevirt.io=virt-launcher,kubevirt.io/vm=${name}`;
      const newest = (await list(pods, selector, signal)).toSorted(byCreation).at(-1);
      if (!newest) return '';
      const what = `read the console of ${name}`;
      const query = `container=guest-console-log&tailLines=${logLines}`;
      const path = `${pathOf(pods, newest.metadata.name)}/log?${query}`;
      const headers = { accept: '*/*' };
      return (await client.send({ what, method: 'GET', path, headers, signal, takesText: true }))
        .text;
    },
  };
}

/** Another of this name has come in its place: that with this uid is gone. */
function unlessAnother(error: unknown): undefined {
  const isAnother = error instanceof DriverError && error.code === 'Aborted';
  if (!isAnother) throw error;
  return undefined;
}

const byCreation = ({ metadata: a }: HostObject, { metadata: b }: HostObject): number =>
  a.creationTimestamp < b.creationTimestamp ? -1 : 1;

function acceptOf({ isMetadataOnly }: Kind, suffix = ''): Record<string, string> {
  if (!isMetadataOnly) return {};
  return { accept: `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1` };
}

function objectIn(what: string, json: unknown): HostObject {
  const object: HostObject = Object(json);
  const { name, uid }: { name?: unknown; uid?: unknown } = Object(object.metadata);
  if (typeof name === 'string' && typeof uid === 'string') return object;
  throw notOfServer(what);
}

function pageIn(what: string, json: unknown): { items: unknown[]; next: string } {
  const { items, metadata }: { items?: unknown; metadata?: unknown } = Object(json);
  const { continue: next = '' }: { continue?: string } = Object(metadata);
  // Null for an empty list of metadata.
  if (items === null) return { items: [], next };
  if (Array.isArray(items)) return { items, next };
  throw notOfServer(what);
}

function notOfServer(what: string): DriverError {
  const words = 'not an answer of an API server (is something in between?)';
  return fault('unknown', `KubeVirt: ${what}: ${words}`);
}
