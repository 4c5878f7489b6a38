/** The kubelets of the instances: they register Nodes, make them ready, and may fall silent. */
import type { Body } from '../../support/api-server/creation.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { Weather } from '../world/weather.ts';
import type { SimulatedCloud } from './cloud.ts';
import type { InstanceRecord } from './records.ts';

/** Shares of instances. */
export interface KubeletTrouble {
  neverJoins: number;
  vanishes: number;
  /** Not ready for some minutes. */
  sickens: number;
  /** Not ready until the weather clears, or for ever. */
  staysSick: number;
}

export const calmKubelets: KubeletTrouble = {
  neverJoins: 0,
  vanishes: 0,
  sickens: 0,
  staysSick: 0,
};

export const allKubeletTrouble: KubeletTrouble = {
  neverJoins: 0.02,
  vanishes: 0.03,
  sickens: 0.1,
  staysSick: 0.02,
};

export interface KubeletParts {
  simulation: Simulation;
  weather: Weather;
  cloud: SimulatedCloud;
  trouble: KubeletTrouble;
  /** Where the Node of an instance belongs; undefined for a foreign one. */
  targetOf(record: InstanceRecord): Cluster | undefined;
}

const retryMs = 5_000;
/** The grace period of the node lifecycle controller. */
const silenceMs = 50_000;
const notReadyTaint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export class Kubelets {
  readonly #parts: KubeletParts;
  readonly #chance: Chance;

  constructor(parts: KubeletParts) {
    this.#parts = parts;
    this.#chance = parts.simulation.chance.fork();
  }

  start(): void {
    this.#parts.cloud.listen(({ kind, record }) => {
      if (kind === 'created') this.#boot(record);
      else this.#fallSilent(record);
    });
  }

  /** The node lifecycle controller notices that nothing renews its Lease. */
  #fallSilent(record: InstanceRecord): void {
    const cluster = this.#parts.targetOf(record);
    if (!cluster) return;
    const kubelet = new Kubelet(this.#parts, cluster, record);
    this.#parts.simulation.after(silenceMs, () => kubelet.setReady('Unknown'));
  }

  #boot(record: InstanceRecord): void {
    const { simulation, weather, trouble, targetOf, cloud } = this.#parts;
    const cluster = targetOf(record);
    if (!cluster) return;
    const chance = this.#chance;
    const bad = (share: number): boolean => !weather.isClear && chance.happens(share);
    if (bad(trouble.vanishes)) {
      simulation.after(chance.between(1_000, 3_600_000), () => {
        if (!weather.isClear) cloud.vanish(record.id);
      });
    }
    if (bad(trouble.neverJoins)) return;
    const kubelet = new Kubelet(this.#parts, cluster, record);
    simulation.after(chance.between(1_000, 60_000), () => kubelet.register());
    if (bad(trouble.sickens)) {
      const from = chance.between(60_000, 3_600_000);
      simulation.after(from, () => kubelet.setReady('False'));
      simulation.after(from + chance.between(10_000, 600_000), () => kubelet.setReady('True'));
    }
    if (bad(trouble.staysSick)) {
      simulation.after(chance.between(60_000, 3_600_000), () => kubelet.setReady('Unknown'));
    }
  }
}

class Kubelet {
  readonly #parts: KubeletParts;
  readonly #cluster: Cluster;
  readonly #record: InstanceRecord;
  #isReady: 'True' | 'False' | 'Unknown' = 'True';

  constructor(parts: KubeletParts, cluster: Cluster, record: InstanceRecord) {
    this.#parts = parts;
    this.#cluster = cluster;
    this.#record = record;
  }

  /** Once at its start, as a kubelet does; a Node that is deleted later stays so. */
  register(): void {
    const { simulation } = this.#parts;
    if (this.#record.deletedAt !== undefined) return;
    const { server, isUp } = this.#cluster;
    const { name } = this.#record;
    // A Node of this name that is there already is an earlier instance's: a kubelet cannot change
    // its providerID.
    if (!isUp || server.has(`/api/v1/nodes/${name}`)) {
      simulation.after(retryMs, () => this.register());
      return;
    }
    server.create('/api/v1/nodes', this.#node());
    this.#record.isRunning = true;
    simulation.note('kubelet', `registers Node ${name} of ${this.#record.id}`);
    simulation.after(1_000, () => this.#report());
  }

  setReady(isReady: 'True' | 'False' | 'Unknown'): void {
    this.#isReady = isReady;
    this.#report();
  }

  #node(): Body {
    const { name, providerID, labels, annotations, taints, zone, size } = this.#record;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'topology.kubernetes.io/zone': zone,
          'node.kubernetes.io/instance-type': size,
          ...labels,
        },
        annotations,
      },
      spec: { providerID, taints: [...taints, notReadyTaint] },
    };
  }

  #report(): void {
    const { simulation } = this.#parts;
    const { name, deletedAt, providerID } = this.#record;
    if (deletedAt !== undefined && this.#isReady !== 'Unknown') return;
    const { server, isUp } = this.#cluster;
    const path = `/api/v1/nodes/${name}`;
    if (!isUp) {
      simulation.after(retryMs, () => this.#report());
      return;
    }
    if (!server.has(path)) return;
    const node: NodeObject = { ...server.get(path) };
    if (node.spec?.providerID !== providerID) return;
    const status = this.#status();
    server.patch(`${path}/status`, { type: 'merge', body: { status } });
    // The node lifecycle controller's part.
    const others = (node.spec.taints ?? []).filter(({ key }) => key !== notReadyTaint.key);
    const taints = this.#isReady === 'True' ? others : [...others, notReadyTaint];
    server.patch(path, { type: 'merge', body: { spec: { taints } } });
    simulation.note('kubelet', `Node ${name}: Ready is ${this.#isReady}`);
  }

  #status(): object {
    const { address, name } = this.#record;
    const time = new Date(this.#parts.simulation.now).toISOString();
    return {
      conditions: [
        {
          type: 'Ready',
          status: this.#isReady,
          reason: 'Kubelet',
          message: 'kubelet is posting its status',
          lastHeartbeatTime: time,
          lastTransitionTime: time,
        },
      ],
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
    };
  }
}

interface NodeObject {
  spec?: { providerID?: string; taints?: { key: string; effect: string }[] };
}
