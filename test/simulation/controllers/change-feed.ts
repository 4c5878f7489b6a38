/** The changes of an API server, dealt out to controllers by kind. */
import type { ApiServer } from '../../support/api-server/api-server.ts';
import { pathOf } from '../../support/api-server/paths.ts';
import { resources } from '../../support/api-server/resources.ts';
import type { Change, Stored } from '../../support/api-server/store.ts';

/** Of one object: another one of its name is other news. */
export interface News {
  kind: string;
  path: string;
  /** Empty for an object that is in none. */
  namespace: string;
  name: string;
  /** Undefined where there was none. */
  before: Stored | undefined;
  /** Undefined when it is gone. */
  after: Stored | undefined;
}

export type Hearer = (news: News) => void;

interface Known {
  kind: string;
  object: Stored;
}

export class ChangeFeed {
  readonly #server: ApiServer;
  readonly #known = new Map<string, Known>();
  readonly #hearers = new Map<string, Hearer[]>();
  #restores = 0;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  /** Who subscribed earlier hears each change earlier. */
  subscribe(kinds: readonly string[], hear: Hearer): void {
    for (const kind of kinds) this.#hearers.set(kind, [...(this.#hearers.get(kind) ?? []), hear]);
  }

  /** Begins with all that is there. */
  start(): void {
    this.#relist();
    this.#server.store.listen((change) => this.#hear(change));
  }

  #hear({ path, before, after }: Change): void {
    // A database that was restored reports nothing of what has changed by that.
    if (this.#server.store.restores !== this.#restores) return this.#relist();
    const kind = (after ?? before)?.target.resource.kind ?? '';
    this.#tell(path, after && { kind, object: after.object });
  }

  #relist(): void {
    const { store } = this.#server;
    const present = new Map<string, Known>();
    for (const resource of resources) {
      const collection = { resource, namespace: '', name: '', subresource: '' };
      for (const { target, object } of store.entriesOf(collection)) {
        present.set(pathOf(target), { kind: resource.kind, object });
      }
    }
    this.#restores = store.restores;
    const gone = [...this.#known.keys()].filter((path) => !present.has(path));
    for (const path of gone) this.#tell(path, undefined);
    for (const [path, next] of present) this.#tell(path, next);
  }

  #tell(path: string, next: Known | undefined): void {
    const last = this.#known.get(path);
    if (next) this.#known.set(path, next);
    else this.#known.delete(path);
    if (last?.object === next?.object) return;
    if (last?.object.metadata.uid === next?.object.metadata.uid) this.#deal(path, last, next);
    else {
      // Another one has its name.
      if (last) this.#deal(path, last, undefined);
      if (next) this.#deal(path, undefined, next);
    }
  }

  #deal(path: string, last: Known | undefined, next: Known | undefined): void {
    const known = next ?? last;
    if (!known) return;
    const { kind, object } = known;
    const { namespace = '', name } = object.metadata;
    const news = { kind, path, namespace, name, before: last?.object, after: next?.object };
    for (const hear of this.#hearers.get(kind) ?? []) hear(news);
  }
}
