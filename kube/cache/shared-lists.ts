/**
 * One list at a time of each resource, however many callers there are: see shared-read.ts. It keeps
 * no answer, so that one for all namespaces of a process is one for each client.
 */
import type { KubeClient, KubeList, Query } from '../client/client.ts';
import { SharedRead } from './shared-read.ts';

/** Shared reads of lists of one kind of objects. Callers only read the result. */
export class SharedLists<T> {
  readonly #query: Query;
  readonly #reads = new WeakMap<KubeClient, Map<string, SharedRead<KubeList<T>>>>();

  constructor(query: Query = {}) {
    this.#query = query;
  }

  async list(client: KubeClient, path: string): Promise<KubeList<T>> {
    const reads = this.#reads.get(client) ?? new Map<string, SharedRead<KubeList<T>>>();
    this.#reads.set(client, reads);
    const read = reads.get(path) ?? new SharedRead(() => client.list<T>(path, this.#query));
    reads.set(path, read);
    return await read.next();
  }
}
