/**
 * Deployments of one pool on an API server in memory, which roll under DisruptionPolicies: each is
 * read, planned for and acted on as its workflow does it.
 */
import { applyDeploymentSteps } from '../../../activities/machine-deployment/apply.ts';
import { observeMachineDeployment } from '../../../activities/machine-deployment/observe.ts';
import { nowMs } from '../../../activities/system/system.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { customResource, disruptionPolicy } from '../../../kube/client/paths.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import type { ApplyOutcome } from '../../../workflows/contracts/machine-deployment-activities.ts';
import { planMachineDeployment } from '../../../workflows/plan/machine-deployment/plan.ts';
import type { DeploymentFacts } from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { DeploymentPlan } from '../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { listsOf } from '../../../activities/machine-set/machine-lists.ts';
import { setListsOf } from '../../../activities/machine-deployment/set-lists.ts';
import { RecentObjects } from '../../../kube/cache/recent-objects.ts';
import {
  aDisruptionPolicy,
  aMachine,
  aMachineDeployment,
  aMachineSet,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

export const policyName = 'pool';
export const policyPath = disruptionPolicy(namespace, policyName);

export const aPolicy = (
  spec: DisruptionPolicy['spec'],
  changes: Partial<DisruptionPolicy> = {},
): DisruptionPolicy => aDisruptionPolicy({ metadata: { name: policyName }, spec, ...changes });

const template = (zone: string, size: string) => ({
  metadata: { labels: { zone } },
  spec: { class: { kind: 'MachineClass', name: size } },
});

interface Zone {
  name: string;
  replicas?: number;
  surge?: number;
  unavailable?: number;
  /** Default: its template has changed. */
  isAtRest?: boolean;
}

/** What begins the rollout of a deployment at rest. */
export const nextTemplate = { spec: { template: { spec: { class: { name: 'large' } } } } };

/** A deployment of 3 machines, all Running, whose template has changed since. */
export function aRollingZone(zone: Zone): object[] {
  const { name, replicas = 3, surge = 0, unavailable = 1, isAtRest = false } = zone;
  const deployment = aMachineDeployment({
    metadata: { name, labels: { pool: 'db' }, generation: 2, finalizers: [finalizer] },
    spec: {
      replicas,
      selector: { matchLabels: { zone: name } },
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable },
      },
      template: template(name, isAtRest ? 'small' : 'large'),
    },
  });
  const set = aMachineSet({
    metadata: {
      name: `${name}-old`,
      labels: { zone: name },
      ownerReferences: controlledBy(deployment),
      finalizers: [finalizer],
      annotations: {
        'deployment.kubernetes.io/revision': '1',
        'deployment.kubernetes.io/desired-replicas': String(replicas),
        'deployment.kubernetes.io/max-replicas': String(replicas + surge),
      },
    },
    spec: {
      replicas,
      selector: { matchLabels: { zone: name } },
      template: template(name, 'small'),
    },
    status: {
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      fullyLabeledReplicas: replicas,
      observedGeneration: 1,
    },
  });
  const machines = Array.from({ length: replicas }, (_, index) =>
    aMachineOf(set, `${name}-old-${index}`),
  );
  return [deployment, set, ...machines];
}

const finalizer = 'machine.sapcloud.io/machine-controller-manager';

export function aMachineOf(
  set: MachineSet,
  name: string,
  phase: MachinePhase = 'Running',
): Machine {
  const labels = set.spec.template?.metadata?.labels ?? {};
  const ownerReferences = controlledBy(set);
  return aMachine({ phase, metadata: { name, labels, ownerReferences, finalizers: [finalizer] } });
}

export class PolicyWorld {
  readonly world: WorldOfTests;
  /** Writes of the process are known to it at once. */
  hearsItself = false;
  /** What was taken, as the metric hears it. */
  readonly taken: string[] = [];
  readonly #isInstalled: boolean;
  #known: DisruptionPolicy[] | undefined;
  #made = 0;

  constructor(...objects: object[]) {
    this.#isInstalled = objects.some((one) => 'kind' in one && one.kind === 'DisruptionPolicy');
    this.world = aWorld({
      control: objects,
      policies: {
        current: () => ({ policies: this.#known ?? [] }),
        noteWritten: (policy) => {
          if (this.hearsItself) this.#note(policy);
        },
      },
      disrupted: (reason, count) => this.taken.push(`${reason} ${count}`),
    });
  }

  #note(policy: DisruptionPolicy): void {
    const { uid } = policy.metadata;
    this.#known = this.#known?.map((known) => (known.metadata.uid === uid ? policy : known));
  }

  get control(): WorldOfTests['control'] {
    return this.world.control;
  }

  /** The watch of the policies comes so far. */
  async hear(): Promise<this> {
    if (!this.#isInstalled) return this;
    const { items } = await this.control.read<{ items: DisruptionPolicy[] }>(
      disruptionPolicy(namespace),
    );
    this.#known = items;
    return this;
  }

  /** The same for another client of the same server. */
  through(client: KubeClient): WorldOfTests {
    return Object.assign({}, this.world, {
      control: client,
      machines: listsOf(client),
      machineSets: setListsOf(client),
      recent: new RecentObjects(client),
    });
  }

  async observe(name: string, world = this.world): Promise<DeploymentFacts> {
    const deployment = { namespace, name };
    const input = { deployment, now: nowMs(), protectedNodes: [] };
    const outcome = await observeMachineDeployment(world, input);
    if (!outcome.found) throw new Error(`${name} is gone`);
    return outcome.facts;
  }

  async plan(name: string): Promise<DeploymentPlan> {
    return planMachineDeployment(await this.observe(name), nowMs());
  }

  /** One read and what it leads to. */
  async turn(name: string, world = this.world): Promise<ApplyOutcome | undefined> {
    const facts = await this.observe(name, world);
    const { steps } = planMachineDeployment(facts, nowMs());
    if (steps.length === 0) return undefined;
    const scaling = { desired: facts.replicas, max: facts.replicas + facts.maxSurge };
    return await applyDeploymentSteps(world, { deployment: lifeOf(name), steps, scaling });
  }

  async policy(): Promise<DisruptionPolicy> {
    return await this.control.read<DisruptionPolicy>(policyPath);
  }

  async deployment(name: string): Promise<MachineDeployment> {
    return await this.control.read(customResource('machinedeployments', namespace, name));
  }

  async sets(): Promise<MachineSet[]> {
    return (
      await this.control.read<{ items: MachineSet[] }>(customResource('machinesets', namespace))
    ).items;
  }

  async machines(): Promise<Machine[]> {
    return (await this.control.read<{ items: Machine[] }>(customResource('machines', namespace)))
      .items;
  }

  /** Sizes by the name of the set, without those that want none. */
  async sizes(): Promise<Record<string, number>> {
    const sets = await this.sets();
    const wanted = sets.map(({ metadata, spec }) => [metadata.name, spec.replicas ?? 0] as const);
    return Object.fromEntries(wanted.filter(([, replicas]) => replicas > 0));
  }

  /** The controller of the sets: deletes what is too many, of those that have no deletion yet. */
  async shrinkSets(): Promise<void> {
    for (const set of await this.sets()) {
      const staying = (await this.machinesOf(set)).filter(isStaying);
      for (const machine of staying.slice(set.spec.replicas ?? 0)) {
        await this.control.delete(pathOf(machine));
      }
    }
  }

  /** Machines that are being deleted are gone. */
  async endDeletions(): Promise<void> {
    for (const machine of await this.machines()) {
      if (isStaying(machine)) continue;
      await this.control.patch(pathOf(machine), 'merge', { metadata: { finalizers: null } });
    }
  }

  /** Missing machines are made, and all of them run. */
  async growSets(): Promise<void> {
    for (const set of await this.sets()) {
      const present = (await this.machinesOf(set)).filter(isStaying).length;
      for (let count = present; count < (set.spec.replicas ?? 0); count += 1) {
        this.#made += 1;
        this.control.put(aMachineOf(set, `${set.metadata.name}-${this.#made}-new`));
      }
      await this.#report(set);
    }
  }

  /** All three, and the watch. */
  async settleSets(): Promise<void> {
    await this.shrinkSets();
    await this.endDeletions();
    await this.growSets();
    await this.hear();
  }

  async #report(set: MachineSet): Promise<void> {
    const count = (await this.machinesOf(set)).filter(isStaying).length;
    const { generation = 0 } = set.metadata;
    const path = customResource('machinesets', namespace, set.metadata.name);
    const counts = { replicas: count, readyReplicas: count, availableReplicas: count };
    const status = { ...counts, fullyLabeledReplicas: count, observedGeneration: generation };
    await this.control.patch(`${path}/status`, 'merge', { status });
  }

  async machinesOf({ metadata }: MachineSet): Promise<Machine[]> {
    const machines = await this.machines();
    return machines.filter((one) => one.metadata.ownerReferences?.[0]?.uid === metadata.uid);
  }
}

/** Machines that go, and those that a set has lost by its size: counted from what there is. */
export async function onTheirWay(world: PolicyWorld): Promise<number> {
  const machines = await world.machines();
  const going = machines.filter((machine) => !isStaying(machine)).length;
  const lost = (await world.sets()).map(({ metadata, spec }) => {
    const own = machines.filter((one) => one.metadata.ownerReferences?.[0]?.uid === metadata.uid);
    return Math.max(own.filter(isStaying).length - (spec.replicas ?? 0), 0);
  });
  return lost.reduce((sum, count) => sum + count, going);
}

const isStaying = ({ metadata }: Machine): boolean => metadata.deletionTimestamp === undefined;

const pathOf = ({ metadata }: Machine): string =>
  customResource('machines', namespace, metadata.name);
