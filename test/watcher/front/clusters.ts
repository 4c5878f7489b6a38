/** Objects of both APIs, as the front's reflectors list and watch them. */
import type { KubeClient, KubeObject, WatchEvent } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/client/errors.ts';

interface Names {
  name: string;
  /** Kind and name of what controls it. */
  owner?: [kind: string, name: string];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  isDeleting?: boolean;
  spec?: object;
  status?: object;
}

export const theirGroup = 'cluster.k8s.io';
export const ourGroup = 'machine.sapcloud.io';

export function anObject(group: string, kind: string, names: Names): KubeObject {
  const { name, owner, isDeleting, spec = {}, status, ...metadata } = names;
  const apiVersion = group === '' ? 'v1' : `${group}/v1alpha1`;
  const [ownerKind = '', ownerName = ''] = owner ?? [];
  const controller = { kind: ownerKind, name: ownerName, uid: `uid-${ownerName}` };
  const object = {
    apiVersion,
    kind,
    metadata: {
      name,
      uid: `${group} ${kind} ${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(owner && { ownerReferences: [{ apiVersion, controller: true, ...controller }] }),
      ...(isDeleting && { deletionTimestamp: '2026-01-01T01:00:00Z' }),
      ...metadata,
    },
    spec,
    ...(status && { status }),
  };
  return object;
}

const plurals: Record<string, string> = {
  MachineDeployment: 'machinedeployments',
  MachineSet: 'machinesets',
  Machine: 'machines',
  Node: 'nodes',
};

const keyOf = ({ apiVersion = '', kind = '' }: KubeObject): string =>
  `${apiVersion}/${plurals[kind] ?? kind}`;

/** `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL` -> `GROUP/VERSION/PLURAL`. */
const keyIn = (path: string): string =>
  path.replace(/^\/apis?\//, '').replace(/\/namespaces\/[^/]+/, '');

export class FrontClusters {
  /** The CRDs of theirs are there. */
  isServed = true;
  readonly created: object[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<(event: WatchEvent<KubeObject>) => void>();
  #version = 10;

  put(...objects: KubeObject[]): void {
    for (const object of objects) {
      this.#version += 1;
      object.metadata.resourceVersion = String(this.#version);
      const type = this.#objects.has(object.metadata.uid) ? 'MODIFIED' : 'ADDED';
      this.#objects.set(object.metadata.uid, object);
      for (const listener of this.#listeners) listener({ type, object });
    }
  }

  remove({ metadata: { uid } }: KubeObject): void {
    const object = this.#objects.get(uid);
    if (!object) return;
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    this.#objects.delete(uid);
    for (const listener of this.#listeners) listener({ type: 'DELETED', object });
  }

  readonly client: KubeClient = {
    get: async <T>(path: string): Promise<T> => {
      const answer: ReturnType<typeof JSON.parse> = this.#answer(path);
      return answer;
    },
    watch: (path, _query, signal) => this.#events(path, signal),
    create: async <T>(_path: string, body: unknown): Promise<T> => {
      this.created.push(Object(body));
      const answer: ReturnType<typeof JSON.parse> = body;
      return answer;
    },
    list: refuse,
    update: refuse,
    patch: refuse,
    delete: refuse,
    close: () => Promise.resolve(),
  };

  #answer(path: string): unknown {
    const isTheirs = path.startsWith(`/apis/${theirGroup}/`);
    if (isTheirs && !this.isServed)
      throw new KubeError({ code: 404, reason: 'NotFound', message: 'none', method: 'GET', path });
    if (path === `/apis/${theirGroup}/v1alpha1`)
      return { resources: Object.values(plurals).map((name) => ({ name })) };
    const items = [...this.#objects.values()].filter((object) => keyOf(object) === keyIn(path));
    return { metadata: { resourceVersion: String(this.#version) }, items: structuredClone(items) };
  }

  async *#events<T>(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent<T>> {
    const queue: WatchEvent<KubeObject>[] = [];
    let wake: (() => void) | undefined;
    const listener = (event: WatchEvent<KubeObject>): void => {
      if (event.type === 'BOOKMARK' || keyOf(event.object) !== keyIn(path)) return;
      queue.push(structuredClone(event));
      wake?.();
    };
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => wake?.(), { once: true });
    while (!signal.aborted) {
      const event: ReturnType<typeof JSON.parse> = queue.shift();
      if (event) yield event;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    this.#listeners.delete(listener);
  }
}

function refuse(path: string): Promise<never> {
  return Promise.reject(new Error(`the front's watches only read: ${path}`));
}
