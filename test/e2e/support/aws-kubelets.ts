/**
 * Plays the kubelets of instances in moto: each that runs has a Node with its private DNS name,
 * which the virtual cloud keeps Ready.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '@aws-sdk/client-ec2';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { fakeKubelet } from '../../../deploy/local/virtual-cloud/node-object.ts';
import { motoRegion, type MotoAccount } from '../../support/moto-account.ts';
import type { Cluster, NodeObject } from './cluster.ts';

const pollMilliseconds = 300;

export interface AwsKubelets {
  stop(): Promise<void>;
}

/**
 * For all instances of the account. A Node goes with its instance, as the cloud controller has it.
 */
export function playKubelets(account: MotoAccount, cluster: Cluster): AwsKubelets {
  const kubelets = new Kubelets(cluster);
  const stopped = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await kubelets.follow(await account.instances());
      await sleep(pollMilliseconds);
    }
  };
  const end = loop();
  return {
    async stop() {
      stopped.abort();
      await end;
      await kubelets.end();
    },
  };
}

class Kubelets {
  readonly #cluster: Cluster;
  /**
   * Names of Nodes by the identity of the instance. Each registers once, as a kubelet does at its
   * start.
   */
  readonly #nodes = new Map<string, string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async follow(instances: Instance[]): Promise<void> {
    for (const instance of instances) {
      const { InstanceId = '', PrivateDnsName, State } = instance;
      const isKnown = this.#nodes.has(InstanceId);
      if (State?.Name === 'running' && PrivateDnsName && !isKnown) {
        const isRegistered = await register(this.#cluster, instance);
        if (isRegistered) this.#nodes.set(InstanceId, PrivateDnsName);
      }
      if (State?.Name === 'terminated') await this.#end(InstanceId);
    }
  }

  async end(): Promise<void> {
    for (const id of this.#nodes.keys()) await this.#end(id);
  }

  /**
   * moto gives an address anew as soon as it is free, so the name may be another instance's by now.
   */
  async #end(id: string): Promise<void> {
    const name = this.#nodes.get(id);
    if (name === undefined) return;
    const path = `/api/v1/nodes/${name}`;
    const node = await this.#cluster.find<NodeObject>(path);
    if (node?.spec?.providerID === providerIdOf(id)) await this.#cluster.delete(path);
    this.#nodes.delete(id);
  }
}

const providerIdOf = (id: string): string => `aws:///${motoRegion}/${id}`;

/** False: the Node of an instance that had the name before is still there. */
async function register(cluster: Cluster, instance: Instance): Promise<boolean> {
  const { InstanceId = '', PrivateDnsName: name, PrivateIpAddress: address } = instance;
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' },
      annotations: fakeKubelet,
    },
    spec: { providerID: providerIdOf(InstanceId) },
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
