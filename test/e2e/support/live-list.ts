/**
 * A copy of one resource that is never in a state in which the resource was not: a list replaces it
 * as a whole, a watch goes on from there, event by event. A watch that breaks resumes; where the
 * server has forgotten the version, the list is made anew.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { isGone } from '../../../kube/client/errors.ts';

export interface LiveListOptions<K extends KubeObject, T> {
  kube: KubeClient;
  path: string;
  project(object: K): T;
  /** Called after the copy was changed. `item` is undefined when it was listed. */
  onChange(type: 'listed' | 'live' | 'gone', item: T | undefined): void;
}

/** Between two attempts while the server is away. */
const retryMilliseconds = 200;

export class LiveList<K extends KubeObject, T> {
  /** By name. */
  readonly items = new Map<string, T>();
  /** Fulfilled when the first list is in. */
  readonly synced: Promise<void>;
  readonly #options: LiveListOptions<K, T>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #version: string | undefined;
  #reportSynced = (): void => {};

  /** Starts at once. */
  constructor(options: LiveListOptions<K, T>) {
    this.#options = options;
    this.synced = new Promise((resolve) => {
      this.#reportSynced = resolve;
    });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#watch(this.#version ?? (await this.#list()));
      } catch (error) {
        // Outages are part of the tests: whatever broke, it goes on where it was.
        if (isGone(error)) this.#version = undefined;
        if (!signal.aborted) await delay(retryMilliseconds);
      }
    }
  }

  async #list(): Promise<string> {
    const { kube, path, project, onChange } = this.#options;
    const { metadata, items } = await kube.list<K>(path);
    this.items.clear();
    for (const object of items) this.items.set(object.metadata.name, project(object));
    this.#version = metadata.resourceVersion;
    onChange('listed', undefined);
    this.#reportSynced();
    return metadata.resourceVersion;
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { kube, path, project, onChange } = this.#options;
    const events = kube.watch<K>(path, { resourceVersion }, this.#stopping.signal);
    for await (const event of events) {
      this.#version = event.object.metadata.resourceVersion;
      if (event.type === 'BOOKMARK') continue;
      const item = project(event.object);
      if (event.type === 'DELETED') this.items.delete(event.object.metadata.name);
      else this.items.set(event.object.metadata.name, item);
      onChange(event.type === 'DELETED' ? 'gone' : 'live', item);
    }
  }
}
