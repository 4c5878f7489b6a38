/**
 * Plays the kubelets of a cloud that is not the virtual one: each instance that runs has a Node,
 * which the virtual cloud keeps Ready.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { fakeKubelet } from '../../../deploy/local/virtual-cloud/node-object.ts';
import type { Cluster, NodeObject } from './cluster.ts';

const pollMilliseconds = 300;

/** An instance that runs. */
export interface CloudNode {
  providerID: string;
  /** Of its Node. */
  name: string;
  address?: string | undefined;
}

export interface CloudKubelets {
  stop(): Promise<void>;
}

/** A Node goes with its instance, as the cloud controller has it. */
export function playKubelets(
  running: () => Promise<readonly CloudNode[]>,
  cluster: Cluster,
): CloudKubelets {
  const kubelets = new Kubelets(cluster);
  const stopped = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await kubelets.follow(await running());
      await sleep(pollMilliseconds);
    }
  };
  const end = loop();
  return {
    async stop() {
      stopped.abort();
      await end;
      await kubelets.follow([]);
    },
  };
}

class Kubelets {
  readonly #cluster: Cluster;
  /** Names of Nodes by providerID. Each registers once, as a kubelet does at its start. */
  readonly #nodes = new Map<string, string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async follow(running: readonly CloudNode[]): Promise<void> {
    for (const node of running) {
      if (this.#nodes.has(node.providerID)) continue;
      if (await register(this.#cluster, node)) this.#nodes.set(node.providerID, node.name);
    }
    const living = new Set(running.map(({ providerID }) => providerID));
    for (const [providerID, name] of this.#nodes) {
      if (!living.has(providerID)) await this.#end(providerID, name);
    }
  }

  /** A cloud may give a name anew as soon as it is free, so it may be another instance's by now. */
  async #end(providerID: string, name: string): Promise<void> {
    const path = `/api/v1/nodes/${name}`;
    const node = await this.#cluster.find<NodeObject>(path);
    if (node?.spec?.providerID === providerID) await this.#cluster.delete(path);
    this.#nodes.delete(providerID);
  }
}

/** False: the Node of an instance that had the name before is still there. */
async function register(
  cluster: Cluster,
  { providerID, name, address = '10.0.0.1' }: CloudNode,
): Promise<boolean> {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' },
      annotations: fakeKubelet,
    },
    spec: { providerID },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
    },
  };
  try {
    await cluster.kube.create('/api/v1/nodes', node);
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}
