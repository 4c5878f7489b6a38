/**
 * One list for all callers of the same moment. Each gets a list that began after it asked: a caller
 * that asks while one is running waits for the next one, which all others that ask meanwhile get
 * too. So there is one list at a time of each resource, however many callers there are.
 */
import type { KubeClient, KubeList, Query } from '../client/client.ts';

/** Of one kind of objects. What callers get is shared: they only read it. */
export class SharedLists<T> {
  readonly #query: Query;
  readonly #queues = new WeakMap<KubeClient, Map<string, Queue<T>>>();

  constructor(query: Query = {}) {
    this.#query = query;
  }

  async list(client: KubeClient, path: string): Promise<KubeList<T>> {
    const queues = this.#queues.get(client) ?? new Map<string, Queue<T>>();
    this.#queues.set(client, queues);
    const queue = queues.get(path) ?? new Queue(() => client.list<T>(path, this.#query));
    queues.set(path, queue);
    return await queue.next();
  }
}

class Queue<T> {
  readonly #list: () => Promise<KubeList<T>>;
  /** Ends, without an error, when the list that is running ends. Keeps nothing of its answer. */
  #running = Promise.resolve();
  #next: Promise<KubeList<T>> | undefined;

  constructor(list: () => Promise<KubeList<T>>) {
    this.#list = list;
  }

  async next(): Promise<KubeList<T>> {
    this.#next ??= this.#begin();
    return await this.#next;
  }

  async #begin(): Promise<KubeList<T>> {
    await this.#running;
    this.#next = undefined;
    const answer = this.#list();
    // A failure is an error of those who joined this list.
    this.#running = answer.then(ignore, ignore);
    return await answer;
  }
}

function ignore(): void {}
