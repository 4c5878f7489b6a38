/** Plays the agents of all Nodes of a cluster, those that update them in place. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { ignoreConflict } from '../../../kube/client/ignore.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { taints } from '../../../workflows/api/constants.ts';
import { inPlaceReasonOf } from '../../../workflows/api/in-place.ts';
import { follow, type Follower } from '../virtual-cloud/kubelets/follow.ts';
import { matchesGlob } from '../virtual-cloud/name-glob.ts';
import { turnOf } from './turn.ts';
import { update } from './update.ts';

export interface AgentsOptions {
  log: (message: string) => void;
  /** Pattern of the names of their Nodes. Default all. */
  nodes?: string;
}

/** Returns what ends it. */
export function playAgents(client: KubeClient, options: AgentsOptions): () => void {
  const { log } = options;
  const agents = new Agents(client, options);
  const ending = new AbortController();
  const onError = (error: unknown): void => log(`watch of Nodes: ${String(error)}`);
  const followed = { path: nodePath(), follower: agents, onError, signal: ending.signal };
  void follow(client, followed);
  return () => {
    ending.abort();
    agents.list([]);
  };
}

interface AgentWork {
  key: string;
  ending: AbortController;
}

class Agents implements Follower<Node> {
  readonly #client: KubeClient;
  readonly #log: (message: string) => void;
  readonly #pattern: string;
  /** By name of the Node: also what is done, until it is another turn. */
  readonly #works = new Map<string, AgentWork>();

  constructor(client: KubeClient, { log, nodes = '*' }: AgentsOptions) {
    this.#client = client;
    this.#log = log;
    this.#pattern = nodes;
  }

  list(nodes: Node[]): void {
    const present = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const name of this.#works.keys()) if (!present.has(name)) this.#end(name);
    for (const node of nodes) this.change(node);
  }

  remove({ metadata }: Node): void {
    this.#end(metadata.name);
  }

  change(node: Node): void {
    const { name } = node.metadata;
    if (!matchesGlob(name, this.#pattern)) return;
    const reason = inPlaceReasonOf(node.status?.conditions);
    if (reason === 'UpdateSuccessful') this.#clearCriticalTaint(node);
    const turn = turnOf(node);
    if (this.#works.get(name)?.key === turn?.key) return;
    this.#end(name);
    if (turn === undefined) return;
    const ending = new AbortController();
    this.#works.set(name, { key: turn.key, ending });
    const { signal } = ending;
    update(node, turn, { client: this.#client, log: this.#log, signal }).catch((error: unknown) => {
      if (!signal.aborted) this.#log(`${name}: ${String(error)}`);
    });
  }

  /**
   * As Gardener's own controller does once the components that a Node needs run again: until then
   * the updated Node takes no pods. Where the Node has changed meanwhile, its next change has it
   * done.
   */
  #clearCriticalTaint({ metadata: { name, resourceVersion }, spec }: Node): void {
    const present = spec?.taints ?? [];
    const kept = present.filter(({ key }) => key !== taints.criticalComponentsNotReady);
    if (kept.length === present.length) return;
    const body = { metadata: { resourceVersion }, spec: { taints: kept } };
    ignoreConflict(this.#client.patch(nodePath(name), 'merge', body)).catch((error: unknown) => {
      this.#log(`${name}: ${String(error)}`);
    });
  }

  #end(name: string): void {
    this.#works.get(name)?.ending.abort();
    this.#works.delete(name);
  }
}
