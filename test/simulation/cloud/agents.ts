/** The agents on the Nodes: they do what Nodes that are updated in place ask for, by seed. */
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { namedChance } from '../world/named-chance.ts';
import { noneOf } from '../world/trouble.ts';
import type { Weather } from '../world/weather.ts';
import { Agent, reasonOf } from './agent.ts';
import type { Course } from './agent.ts';
import { chancesFor } from './chances.ts';
import { namesOfNodes, readNode } from './node-status.ts';

/** Shares of updates. */
export const allAgentTrouble = {
  /** Answered before the Node is drained. */
  early: 0.06,
  /** Answered when the time of the update is long over. */
  late: 0.06,
  /** Never answered. */
  never: 0.06,
  fails: 0.15,
  /** Of those that failed: tried again by the agent, and successful then. */
  mends: 0.5,
  /** The agent dies in the middle, and begins anew. */
  dies: 0.1,
  /** The machine starts again in the middle: it is not ready for a while. */
  reboots: 0.3,
  leavesPods: 0.1,
};

export type AgentTrouble = Readonly<Record<keyof typeof allAgentTrouble, number>>;

export const calmAgents: AgentTrouble = noneOf(allAgentTrouble);

export interface AgentsParts {
  simulation: Simulation;
  weather: Weather;
  trouble: AgentTrouble;
  /** With the Nodes. */
  clusters: Iterable<Cluster>;
  kubelets: {
    isHeard(cluster: Cluster, nodeName: string): boolean;
    reboot(cluster: Cluster, nodeName: string, lastsMs: number): void;
  };
}

const minuteMs = 60_000;
/** A restored database tells no agent what it has. */
const sweepMs = 5 * minuteMs;

export class Agents {
  readonly #parts: AgentsParts;
  /** Of its own: where no Node asks for an update, nothing is drawn and nothing happens. */
  readonly #chance: Chance;
  readonly #chances: Readonly<Record<keyof AgentTrouble, Chance>>;
  readonly #agents = new Map<string, Agent>();

  constructor(parts: AgentsParts) {
    this.#parts = parts;
    this.#chance = namedChance(parts.simulation.seed, 'agents');
    this.#chances = chancesFor(this.#chance, parts.trouble);
  }

  start(): void {
    const { clusters, weather } = this.#parts;
    for (const cluster of clusters) {
      cluster.server.store.listen(({ before, after }) => {
        const { target } = after ?? before ?? {};
        if (target?.resource.kind === 'Node') this.#look(cluster, target.name);
      });
    }
    weather.onClear(() => {
      for (const agent of this.#agents.values()) agent.recover();
    });
  }

  /** A Node that asks for nothing needs no agent. */
  #look(cluster: Cluster, name: string): void {
    const key = `${cluster.name}/${name}`;
    const known = this.#agents.get(key);
    if (known) return known.look();
    const node = readNode(cluster, name);
    if (!node || reasonOf(node) === '') return;
    if (this.#agents.size === 0) this.#sweepLater();
    const agent = this.#agentOf(cluster, name);
    this.#agents.set(key, agent);
    agent.look();
  }

  #agentOf(cluster: Cluster, name: string): Agent {
    const { simulation, kubelets, weather } = this.#parts;
    return new Agent({
      simulation,
      cluster,
      name,
      chance: this.#chance.fork(),
      courseOf: () => this.#course(),
      isEarly: () => this.#happens('early'),
      isHeard: () => kubelets.isHeard(cluster, name),
      isCalm: () => weather.isClear,
      reboot: (lastsMs) => kubelets.reboot(cluster, name, lastsMs),
    });
  }

  #course(): Course {
    const { late, mends, dies, reboots } = this.#chances;
    const usualMs = this.#chance.between(10_000, 4 * minuteMs);
    return {
      lastsMs: this.#happens('late') ? late.between(6, 25) * minuteMs : usualMs,
      isSilent: this.#happens('never'),
      isFailed: this.#happens('fails'),
      mendedAfterMs: this.#happens('mends') ? mends.between(0.2, 12) * minuteMs : undefined,
      diesForMs: this.#happens('dies') ? dies.between(0.2, 8) * minuteMs : undefined,
      rebootsForMs: this.#happens('reboots') ? reboots.between(0.1, 4) * minuteMs : undefined,
      leavesPods: this.#happens('leavesPods'),
    };
  }

  #happens(name: keyof AgentTrouble): boolean {
    const { weather, trouble } = this.#parts;
    return !weather.isClear && this.#chances[name].happens(trouble[name]);
  }

  #sweepLater(): void {
    const { simulation, clusters } = this.#parts;
    simulation.after(sweepMs, () => {
      this.#sweepLater();
      for (const cluster of clusters) {
        if (!cluster.isUp) continue;
        for (const name of namesOfNodes(cluster)) this.#look(cluster, name);
      }
    });
  }
}
