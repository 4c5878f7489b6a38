/** Which pods are bound to a Node, and which Nodes there are: as they are now. */
import type { ChangeFeed, News } from './change-feed.ts';
import type { NodeObject, PodObject } from './objects.ts';

export class PodIndex {
  readonly #byNode = new Map<string, Map<string, PodObject>>();
  readonly #nodes = new Map<string, NodeObject>();

  constructor(feed: ChangeFeed) {
    feed.subscribe(['Node'], ({ name, after }) => {
      if (after) this.#nodes.set(name, after);
      else this.#nodes.delete(name);
    });
    feed.subscribe(['Pod'], (news) => this.#hear(news));
  }

  /** With their paths. */
  podsOn(nodeName: string): [string, PodObject][] {
    return [...(this.#byNode.get(nodeName) ?? [])];
  }

  node(name: string): NodeObject | undefined {
    return this.#nodes.get(name);
  }

  get nodes(): Iterable<NodeObject> {
    return this.#nodes.values();
  }

  #hear({ path, before, after }: News): void {
    const [from, to] = [nodeNameOf(before), nodeNameOf(after)];
    if (from !== to) this.#take(from, path);
    if (after && to !== '') this.#put(to, path, after);
  }

  #put(nodeName: string, path: string, pod: PodObject): void {
    const pods = this.#byNode.get(nodeName) ?? new Map<string, PodObject>();
    this.#byNode.set(nodeName, pods.set(path, pod));
  }

  #take(nodeName: string, path: string): void {
    const pods = this.#byNode.get(nodeName);
    pods?.delete(path);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
  }
}

function nodeNameOf(pod: PodObject | undefined): string {
  return pod?.spec?.nodeName ?? '';
}
