/** Calls of the API server of a host cluster. Each fails with a `DriverError` only. */
import { ClientCache } from '../client-cache.ts';
import { DriverError, type ProviderRequest } from '../driver.ts';
import type { Body, Resource } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { createRestClient, orAbsent, type RestCall, type RestClient } from '../frame/http.ts';
import type { Environment } from '../settings.ts';
import { hostOf } from './credentials.ts';
import { refusalIn, type MachineStatus } from './errors.ts';

export interface HostObject extends Resource, MachineStatus {
  annotations: Readonly<Record<string, string>>;
}

const groups = { virtualmachines: '/apis/kubevirt.io/v1', secrets: '/api/v1', pods: '/api/v1' };
export type Kind = keyof typeof groups;

/** As Gardener's driver names a machine. */
export const machineLabel = 'kubevirt.io/vm';

export function createHosts(env: Environment, callTimeoutSeconds: number) {
  const clients = new ClientCache<RestClient>({ close: (client) => void client.close() });
  return async ({ secret }: ProviderRequest): Promise<HostNamespace> => {
    const host = await hostOf(secret, env);
    const { server, proxy, headers, tls, namespace } = host;
    const options = { title: 'KubeVirt', url: new URL(server), callTimeoutSeconds, tls, refusalIn };
    const proxies = proxy === undefined ? {} : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
    const known = { headers: () => headers, env: proxies, requestIdHeader: 'audit-id' };
    const make = (): RestClient => createRestClient({ ...options, ...known });
    return new HostNamespace(clients.get([JSON.stringify(host)], make), namespace);
  };
}

type Call = Omit<RestCall, 'what' | 'path'> & { name?: string; query?: Record<string, string> };

/** The namespace of a kubeconfig. */
export class HostNamespace {
  readonly #client: RestClient;
  readonly #namespace: string;

  constructor(client: RestClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async read(kind: Kind, name: string, signal: AbortSignal): Promise<HostObject | undefined> {
    const json = await orAbsent(this.#send(kind, { method: 'GET', name, signal }));
    return json === undefined ? undefined : objectIn(json);
  }

  /** All pages. */
  async list(kind: Kind, labelSelector: string, signal: AbortSignal): Promise<HostObject[]> {
    const found: HostObject[] = [];
    let next = '';
    do {
      const query = { labelSelector, limit: '500', ...(next && { continue: next }) };
      const list = Object(await this.#send(kind, { method: 'GET', query, signal }));
      // Null for an empty list of metadata.
      const items: unknown = list.metadata && (list.items ?? []);
      if (!Array.isArray(items)) throw strange();
      found.push(...items.map(objectIn));
      next = list.metadata.continue ?? '';
    } while (next !== '');
    return found;
  }

  /** A field that this KubeVirt does not know is refused, and not dropped. */
  async create(kind: Kind, body: Body<object>, signal: AbortSignal): Promise<HostObject> {
    const query = { fieldManager: 'millwright', fieldValidation: 'Strict' };
    const call = { method: 'POST', body: body.content, query, signal, isCreate: true } as const;
    return objectIn(await this.#send(kind, call));
  }

  /** By a merge. False when there is no such object. */
  async patch(kind: Kind, { name, content }: Body<object>, signal: AbortSignal): Promise<boolean> {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const query = { fieldManager: 'millwright' };
    const call = { method: 'PATCH', name, body: content, headers, query, signal } as const;
    return (await orAbsent(this.#send(kind, call))) !== undefined;
  }

  /** Exactly this one; a VirtualMachine stays until what it owns is gone. */
  async remove(kind: Kind, thing: Resource, signal: AbortSignal): Promise<'going' | 'gone'> {
    const propagationPolicy = kind === 'virtualmachines' ? 'Foreground' : 'Background';
    const body = { propagationPolicy, preconditions: { uid: thing.uid } };
    try {
      await this.#send(kind, { method: 'DELETE', name: thing.name, body, signal });
      return 'going';
    } catch (error) {
      // Of a conflict: another of this name has come in its place.
      const isGone = error instanceof DriverError && ['NotFound', 'Aborted'].includes(error.code);
      if (isGone) return 'gone';
      throw error;
    }
  }

  /** What a machine has printed to its console, where KubeVirt keeps that. */
  async log(machine: string, signal: AbortSignal): Promise<string> {
    const selector = `kubevirt.io=virt-launcher,${machineLabel}=${machine}`;
    const pods = await this.list('pods', selector, signal);
    const [pod] = pods.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
    if (!pod) return '';
    const path = `${this.#path('pods', pod.name)}/log?container=guest-console-log&tailLines=500`;
    const what = `read the console of ${machine}`;
    return (await this.#client.send({ what, method: 'GET', path, signal, takesText: true })).text;
  }

  #path(kind: Kind, name?: string): string {
    const path = `${groups[kind]}/namespaces/${this.#namespace}/${kind}`;
    return name === undefined ? path : `${path}/${name}`;
  }

  /** The content of Secrets and pods is never read. */
  async #send(kind: Kind, { name, query = {}, headers, ...call }: Call): Promise<unknown> {
    const form = `PartialObjectMetadata${query['limit'] ? 'List' : ''}`;
    const accept = `application/json;as=${form};g=meta.k8s.io;v=v1`;
    const what = `${call.method} ${kind}${name === undefined ? '' : ` ${name}`}`;
    const path = `${this.#path(kind, name)}?${new URLSearchParams(query).toString()}`;
    const all = { ...headers, ...(kind !== 'virtualmachines' && { accept }) };
    return (await this.#client.send({ ...call, what, path, headers: all })).json;
  }
}

function objectIn(json: unknown): HostObject {
  const { metadata, spec, status } = Object(json);
  const { name, uid, labels: tags = {}, annotations = {}, ...times } = Object(metadata);
  if (typeof name !== 'string' || typeof uid !== 'string') throw strange();
  const createdAt = Date.parse(times.creationTimestamp);
  const isGoing = times.deletionTimestamp !== undefined;
  const view = { ref: name, uid, name, machineName: tags[machineLabel], tags, createdAt };
  return { ...view, annotations, isGoing, runStrategy: spec?.runStrategy, status };
}

function strange(): DriverError {
  const words = 'this is not an answer of an API server (is something in between?)';
  return fault('unknown', `KubeVirt: ${words}`);
}
