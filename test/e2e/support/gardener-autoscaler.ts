/**
 * Gardener's cluster autoscaler, as far as an API server sees it: the calls of its provider `mcm`
 * for one MachineDeployment, in their order. It is a fork that keeps the module path of the
 * original, so it cannot be built here. What it decides by is left out: a test says what it wants.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { isConflict } from '../../../kube/client/errors.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeObject } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { putOf, type Put } from './kube-put.ts';
import type { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

/** Without it in the namespace of the machines the autoscaler does nothing at all. */
export const controllerDeployment = 'machine-controller-manager';

export interface GardenerInstance {
  /** providerID of the Node, or `requested://MACHINE` before there is one. */
  id: string;
  state: 'creating' | 'running' | 'deleting';
  outOfResources?: string;
}

interface ControllerDeployment extends KubeObject {
  status?: { availableReplicas?: number };
}

/** `timed`: `name~time`, as the newest writes it. */
export type ListStyle = 'timed' | 'names';

export class GardenerAutoscaler {
  readonly #scenario: Scenario;
  readonly #group: string;
  readonly #style: ListStyle;
  readonly #put: Put;
  /** Happens once between the next read of the MachineDeployment and its write. */
  meanwhile: (() => Promise<unknown>) | undefined;
  /** Writes of the MachineDeployment that were refused because it had changed. */
  conflicts = 0;

  constructor(scenario: Scenario, group: string, style: ListStyle = 'timed') {
    this.#scenario = scenario;
    this.#group = group;
    this.#style = style;
    this.#put = putOf(testStack().layout.kubeconfig);
  }

  /** Comes before every look. Repeats the cordon of all machines that are on the list. */
  async refresh(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${controllerDeployment}`;
    const controller = await cluster.find<ControllerDeployment>(path);
    if ((controller?.status?.availableReplicas ?? 0) < 1) {
      throw new Error('machine-controller-manager is offline');
    }
    await this.#cordon(namesOn(await this.#deployment()));
  }

  async targetSize(): Promise<number> {
    return (await this.#deployment()).spec.replicas ?? 0;
  }

  /** By the label `name` of the machines, and their label `node`. */
  async nodes(): Promise<GardenerInstance[]> {
    const { cluster } = this.#scenario;
    const machines = await cluster.machines();
    const nodes = await cluster.nodes();
    return machines
      .filter(({ metadata }) => metadata.labels?.['name'] === this.#group)
      .map((machine) => instanceOf(machine, nodes));
  }

  async increaseSize(delta: number): Promise<void> {
    await this.#update(({ spec }) => {
      spec.replicas = (spec.replicas ?? 0) + delta;
    });
  }

  /** Refused while a rollout is under way. */
  async decreaseTargetSize(delta: number): Promise<void> {
    requireNoRollout(await this.#deployment());
    await this.#update(({ spec }) => {
      spec.replicas = (spec.replicas ?? 0) - delta;
    });
  }

  /** One write of number and list, then the Nodes are cordoned. Returns the machines. */
  async deleteNodes(machines: readonly string[]): Promise<string[]> {
    const chosen = await this.#deletable(machines);
    await this.#name(chosen);
    await this.#cordon(chosen);
    return chosen;
  }

  async #name(chosen: readonly string[]): Promise<void> {
    const time = new Date().toISOString().replace(/\.\d+Z/, 'Z');
    await this.#update(({ metadata, spec }) => {
      const list = (metadata.annotations ?? {})[annotations.triggerDeletion] ?? '';
      const entries = list.split(',').filter((entry) => entry !== '');
      const named = new Set(entries.map(nameIn));
      const added = chosen.filter((name) => !named.has(name));
      spec.replicas = (spec.replicas ?? 0) - added.length;
      const texts = added.map((name) => (this.#style === 'timed' ? `${name}~${time}` : name));
      const whole = [...entries, ...texts].toSorted().join(',');
      metadata.annotations = { ...metadata.annotations, [annotations.triggerDeletion]: whole };
    });
  }

  /** What a cloud refused is named as other machines are, also while the number is not reached. */
  async giveBack(machines: readonly string[]): Promise<void> {
    await this.#name(machines);
  }

  /** As the oldest did: a priority on each machine, and later the number. */
  async markByPriority(machines: readonly string[]): Promise<void> {
    const { cluster } = this.#scenario;
    for (const name of machines) {
      const machine = await cluster.machine(name);
      const notes = { ...machine.metadata.annotations, [annotations.priority]: '1' };
      const marked = { ...machine, metadata: { ...machine.metadata, annotations: notes } };
      await this.#put(cluster.pathOf('machines', name), marked);
    }
  }

  async #deletable(machines: readonly string[]): Promise<string[]> {
    requireNoRollout(await this.#deployment());
    const nodes = new Map(
      (await this.#scenario.cluster.nodes()).map((node) => [node.metadata.name, node]),
    );
    const chosen: string[] = [];
    for (const name of machines) {
      const machine = await this.#scenario.cluster.machine(name);
      const node = nodes.get(machine.metadata.labels?.[labels.node] ?? '');
      if (isGoing(machine) || isKept(node)) continue;
      chosen.push(name);
    }
    if (chosen.length === 0) throw new Error('ErrNoNodesToDelete');
    return chosen;
  }

  async #deployment(): Promise<MachineDeployment> {
    return await this.#scenario.cluster.deployment(this.#group);
  }

  /** A conflict is tried again for up to a minute. */
  async #update(change: (deployment: MachineDeployment) => void): Promise<void> {
    const path = this.#scenario.cluster.pathOf('machinedeployments', this.#group);
    let refused: unknown;
    await eventually(`${this.#group} is written`, async () => {
      const deployment = await this.#deployment();
      const { meanwhile } = this;
      this.meanwhile = undefined;
      await meanwhile?.();
      change(deployment);
      refused = await this.#put(path, deployment).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!isConflict(refused)) return;
      this.conflicts += 1;
      throw refused;
    });
    if (refused !== undefined) throw refused;
  }

  async #cordon(machines: readonly string[]): Promise<void> {
    const { cluster } = this.#scenario;
    const nodes = await cluster.nodes();
    for (const name of machines) {
      const node = nodes.find(({ metadata }) => metadata.labels?.[labels.machineName] === name);
      if (!node || node.spec?.unschedulable === true) continue;
      const cordoned = { ...node, spec: { ...node.spec, unschedulable: true } };
      // Somebody else wrote the Node: the next Refresh cordons it.
      await this.#put(nodePath(node.metadata.name), cordoned).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
    }
  }
}

function instanceOf({ metadata, status }: Machine, nodes: readonly NodeObject[]): GardenerInstance {
  const node = nodes.find(({ metadata: { name } }) => name === metadata.labels?.[labels.node]);
  const { type, state, errorCode, description = '' } = status?.lastOperation ?? {};
  if (metadata.deletionTimestamp !== undefined)
    return { id: idOf(node, metadata.name), state: 'deleting' };
  if (node) return { id: idOf(node, metadata.name), state: 'running' };
  const isOut = type === 'Create' && state === 'Failed' && errorCode === 'ResourceExhausted';
  return {
    id: idOf(node, metadata.name),
    state: 'creating',
    ...(isOut && { outOfResources: description }),
  };
}

function idOf(node: NodeObject | undefined, machine: string): string {
  return node?.spec?.providerID ?? `requested://${machine}`;
}

function requireNoRollout({ metadata, status }: MachineDeployment): void {
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
  const isOver =
    progress === undefined ||
    (progress.status === 'True' && progress.reason === 'NewMachineSetAvailable') ||
    (progress.status === 'Unknown' && progress.reason === 'DeploymentPaused');
  if (!isOver) throw new Error(`MachineDeployment ${metadata.name} is under rolling update`);
}

function isGoing({ metadata, status }: Machine): boolean {
  const { phase = '' } = status?.currentStatus ?? {};
  return metadata.deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Terminating';
}

function isKept(node: NodeObject | undefined): boolean {
  return node?.metadata.annotations?.[annotations.scaleDownDisabled] === 'true';
}

function namesOn({ metadata }: MachineDeployment): string[] {
  const list = metadata.annotations?.[annotations.triggerDeletion] ?? '';
  return list
    .split(',')
    .filter((entry) => entry !== '')
    .map(nameIn);
}

const nameIn = (entry: string): string => entry.split('~', 1)[0] ?? '';
