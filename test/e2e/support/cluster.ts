/** The Kubernetes side of one scenario: an administrator's view of its namespace. */
import type { KubeClient, KubeObject, Query } from '../../../kube/client/client.ts';
import { isNotFound } from '../../../kube/client/errors.ts';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import { customResource, namespaced, node } from '../../../kube/client/paths.ts';
import type { MachineKind } from '../../../kube/client/paths.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeCondition } from '../../../workflows/api/meta.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';

export interface NodeObject extends KubeObject {
  spec?: {
    providerID?: string;
    unschedulable?: boolean;
    taints?: { key: string; effect: string }[];
  };
  status?: { conditions?: NodeCondition[] };
}

export interface EventObject extends KubeObject {
  type: string;
  reason: string;
  message: string;
  involvedObject: { kind: string; name: string };
}

export interface SecretObject extends KubeObject {
  data?: Record<string, string>;
}

export class Cluster {
  readonly namespace: string;
  readonly kube: KubeClient;
  /** Of the Nodes: the same cluster, as a rule. */
  readonly target: KubeClient;

  constructor(namespace: string, kubeconfig: string, targetKubeconfig = kubeconfig) {
    this.namespace = namespace;
    this.kube = clientOf(kubeconfig);
    this.target = targetKubeconfig === kubeconfig ? this.kube : clientOf(targetKubeconfig);
  }

  pathOf(kind: MachineKind, name?: string): string {
    return customResource(kind, this.namespace, name);
  }

  async list<T>(path: string, query?: Query): Promise<T[]> {
    return (await this.kube.list<T>(path, query)).items;
  }

  machines(): Promise<Machine[]> {
    return this.list<Machine>(this.pathOf('machines'));
  }

  machine(name: string): Promise<Machine> {
    return this.kube.get<Machine>(this.pathOf('machines', name));
  }

  sets(): Promise<MachineSet[]> {
    return this.list<MachineSet>(this.pathOf('machinesets'));
  }

  deployments(): Promise<MachineDeployment[]> {
    return this.list<MachineDeployment>(this.pathOf('machinedeployments'));
  }

  deployment(name: string): Promise<MachineDeployment> {
    return this.kube.get<MachineDeployment>(this.pathOf('machinedeployments', name));
  }

  /** Nodes are cluster-wide; those of the scenario have its prefix. */
  async nodes(): Promise<NodeObject[]> {
    const { items } = await this.target.list<NodeObject>(node());
    return items.filter(({ metadata }) => metadata.name.startsWith(this.namespace));
  }

  /** Of one object. */
  async events(kind: string, name: string): Promise<EventObject[]> {
    const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
    return await this.list<EventObject>(namespaced('events', this.namespace), { fieldSelector });
  }

  /** Id of the cluster. */
  async uid(): Promise<string> {
    const path = '/api/v1/namespaces/kube-system';
    const { metadata } = await this.kube.get<KubeObject>(path);
    return metadata.uid;
  }

  /** Phase of each Machine by name. */
  async phases(): Promise<Record<string, MachinePhase>> {
    const machines = await this.machines();
    return Object.fromEntries(
      machines.map(({ metadata, status }) => [metadata.name, phaseOf(status)]),
    );
  }

  create<T extends KubeObject = KubeObject>(kind: MachineKind, manifest: object): Promise<T> {
    return this.kube.create<T>(this.pathOf(kind), manifest);
  }

  patch(kind: MachineKind, name: string, patch: object): Promise<KubeObject> {
    return this.kube.patch<KubeObject>(this.pathOf(kind, name), 'merge', patch);
  }

  /** Does nothing when it is gone. */
  async delete(path: string): Promise<void> {
    await unlessGone(this.kube.delete(path));
  }

  async close(): Promise<void> {
    await this.kube.close();
    if (this.target !== this.kube) await this.target.close();
  }

  /** Undefined when it is gone. */
  async find<T>(path: string): Promise<T | undefined> {
    return await unlessGone(this.kube.get<T>(path));
  }

  scale(name: string, replicas: number): Promise<unknown> {
    const path = `${this.pathOf('machinedeployments', name)}/scale`;
    return this.kube.patch(path, 'merge', { spec: { replicas } });
  }
}

function clientOf(kubeconfig: string): KubeClient {
  return createKubeClient({
    kubeConfig: loadKubeConfig(kubeconfig),
    userAgent: 'millwright-e2e',
    fieldManager: 'e2e',
  });
}

const phaseOf = (status: Machine['status']): MachinePhase => status?.currentStatus?.phase ?? '';

export function isReady({ status }: NodeObject): boolean {
  return (
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ??
    false
  );
}

async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
