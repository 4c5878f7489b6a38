/**
 * A MachineDeployment on an API server in memory: looked at, planned for and acted on as its
 * workflow does it.
 */
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { applyDeploymentSteps } from '../../../activities/machine-deployment/apply.ts';
import { updateRolloutNodes } from '../../../activities/machine-deployment/rollout-nodes.ts';
import { observeMachineDeployment } from '../../../activities/machine-deployment/observe.ts';
import type {
  ApplyOutcome,
  ObserveDeploymentInput,
} from '../../../workflows/contracts/machine-deployment-activities.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../../workflows/api/meta.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { planMachineDeployment } from '../../../workflows/plan/machine-deployment/plan.ts';
import type { DeploymentFacts } from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type {
  DeploymentPlan,
  DeploymentStep,
  NodeStep,
} from '../../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { Changes } from '../../support/builders.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  controlledBy,
  createdAt,
  namespace,
} from '../../support/builders.ts';
import type { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

export const life = lifeOf('workers');
export const path = customResource('machinedeployments', namespace, 'workers');

/** The template's change that makes a rollout. */
export const nextTemplate = { spec: { class: { kind: 'MachineClass', name: 'large' } } };

export class DeploymentWorld {
  readonly world: WorldOfTests;
  /** Milliseconds. */
  now = Date.parse(createdAt) + 3_600_000;
  #machines = 0;

  constructor(...control: object[]) {
    const objects = control.length === 0 ? [aMachineDeployment()] : control;
    this.world = aWorld({ control: objects });
  }

  get control(): InMemoryClient {
    return this.world.control;
  }

  async survey(changes: Partial<ObserveDeploymentInput> = {}): Promise<DeploymentFacts> {
    const input = { deployment: life, now: this.now, protectedNodes: [], ...changes };
    const outcome = await observeMachineDeployment(this.world, input);
    if (!outcome.found) throw new Error('the deployment is gone');
    return outcome.facts;
  }

  async plan(changes: Partial<ObserveDeploymentInput> = {}): Promise<DeploymentPlan> {
    return planMachineDeployment(await this.survey(changes), this.now);
  }

  async apply(...steps: DeploymentStep[]): Promise<ApplyOutcome> {
    const { spec } = await this.deployment();
    const desired = spec.replicas ?? 0;
    const scaling = { desired, max: desired + 1 };
    return await applyDeploymentSteps(this.world, { deployment: life, steps, scaling });
  }

  /** One look and what it leads to. Returns the names of the steps. */
  async step(): Promise<string[]> {
    const facts = await this.survey();
    const { steps } = planMachineDeployment(facts, this.now);
    const scaling = { desired: facts.replicas, max: facts.replicas + facts.maxSurge };
    await applyDeploymentSteps(this.world, { deployment: life, steps, scaling });
    return steps.map(({ action }) => action);
  }

  async tend(step: NodeStep, protects = true): Promise<string[]> {
    const work = { deployment: life, step, protects };
    return (await updateRolloutNodes(this.world, work)).protectedNodes;
  }

  /** Looks, acts and lets machines run until nothing is left to do. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 30; turns += 1) {
      await this.runMachines();
      if ((await this.step()).length === 0) return;
    }
    throw new Error('the deployment does not come to rest');
  }

  /** Every set gets the machines that it wants, all Running. */
  async runMachines(): Promise<void> {
    for (const set of await this.sets()) await this.#runMachinesOf(set);
  }

  async #runMachinesOf(set: MachineSet): Promise<void> {
    const { replicas = 0 } = set.spec;
    const machines = await this.machinesOf(set);
    const paths = machines.map(({ metadata: { name } }) => machinePath(name));
    for (const surplus of paths.slice(replicas)) await this.control.delete(surplus);
    for (let count = machines.length; count < replicas; count += 1) this.addMachine(set);
    const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas };
    this.report(set, { ...counts, fullyLabeledReplicas: replicas });
  }

  /** Stores a machine of the set; without a change it is Running. */
  addMachine(
    set: MachineSet,
    { phase = 'Running', metadata, ...changes }: Changes<Machine> & { phase?: MachinePhase } = {},
  ): string {
    this.#machines += 1;
    const name = metadata?.name ?? `${set.metadata.name}-${this.#machines}`;
    const labels = { ...set.spec.template?.metadata?.labels, ...metadata?.labels };
    const ownerReferences = controlledBy(set);
    const own = { name, finalizers: [], ownerReferences, ...metadata, labels };
    this.control.put(aMachine({ phase, ...changes, metadata: own }));
    return name;
  }

  /** The set's status as its own controller would write it. */
  report(set: MachineSet, status: MachineSet['status']): void {
    const observedGeneration = set.metadata.generation ?? 0;
    this.control.put({ ...set, status: { observedGeneration, ...status } });
  }

  async machinesOf({ metadata: { uid } }: MachineSet): Promise<Machine[]> {
    const { items } = await this.control.list<Machine>(customResource('machines', namespace));
    return items.filter(({ metadata: { ownerReferences: [owner] = [] } }) => owner?.uid === uid);
  }

  async deployment(): Promise<MachineDeployment> {
    return await this.control.read<MachineDeployment>(path);
  }

  async change(patch: object): Promise<void> {
    await this.control.patch(path, 'merge', patch);
  }

  /** Changes one set as somebody else would. */
  async changeSet(name: string, patch: object): Promise<void> {
    await this.control.patch(setPath(name), 'merge', patch);
  }

  async changeStatus(status: object): Promise<void> {
    await this.control.patch(`${path}/status`, 'merge', { status });
  }

  async annotate(annotations: Record<string, string | null>): Promise<void> {
    await this.change({ metadata: { annotations } });
  }

  /** By revision, the earliest first. */
  async sets(): Promise<MachineSet[]> {
    const { items } = await this.control.list<MachineSet>(customResource('machinesets', namespace));
    return items.toSorted((a, b) => revisionIn(a) - revisionIn(b));
  }

  /** The only set, or the one at this place among the sets. */
  async set(index = 0): Promise<MachineSet> {
    const set = (await this.sets())[index];
    if (!set) throw new Error(`there is no set ${index}`);
    return set;
  }

  async machine(name: string): Promise<Machine> {
    return await this.control.read<Machine>(machinePath(name));
  }

  /** Reasons and messages, in order. */
  async events(): Promise<string[]> {
    const { items } = await this.control.list<Event>(namespaced('events', namespace));
    const inOrder = items.toSorted((a, b) =>
      a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1,
    );
    return inOrder.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }
}

interface Event {
  metadata: ObjectMeta;
  type: string;
  reason: string;
  message: string;
}

/** A set of the deployment `workers`, settled, of the first revision. */
export function ownSet(
  name: string,
  { metadata, ...changes }: Parameters<typeof aMachineSet>[0] = {},
): MachineSet {
  const ownerReferences = controlledBy(aMachineDeployment());
  const annotations = {
    'deployment.kubernetes.io/revision': '1',
    'deployment.kubernetes.io/desired-replicas': '3',
    'deployment.kubernetes.io/max-replicas': '4',
    ...metadata?.annotations,
  };
  const labels = { pool: 'a', ...metadata?.labels };
  const own = { ownerReferences, ...metadata, name, annotations, labels };
  return aMachineSet({ metadata: own, ...changes });
}

export function setPath(name: string): string {
  return customResource('machinesets', namespace, name);
}

export function machinePath(name: string): string {
  return customResource('machines', namespace, name);
}

function revisionIn({ metadata }: MachineSet): number {
  return Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
}
