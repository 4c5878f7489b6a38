/** A MachineDeployment that is updated in place while every state of it is recorded. */
import { join } from 'node:path';
import { behaviourAnnotation } from '../../../deploy/local/update-agent/behaviour.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import { inPlaceReasonOf, type InPlaceReason } from '../../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../../workflows/contracts/in-place-node.ts';
import type { InPlaceUpdateMachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { eventually } from '../../support/eventually.ts';
import { UpdateAgent } from '../../support/update-agent.ts';
import type { NodeObject } from './cluster.ts';
import { machinesOf } from './machines.ts';
import { NodeRecorder } from './node-states.ts';
import { useRollouts, type Rollout, type Rollouts, type Wanted } from './rollout-under-test.ts';
import { untilComplete } from './rollouts.ts';
import type { Scenario, ScenarioOptions } from './scenario.ts';
import { logFolderOf, testStack } from './test-stack.ts';

export interface InPlaceWanted extends InPlaceUpdateMachineDeployment {
  replicas: number;
  /** What the agents on all Nodes do at first. Default: as they do by themselves. */
  agents?: string;
  /** More of the spec. */
  spec?: Partial<Wanted>;
}

/** What must be the same when a machine was updated in place. */
interface Identity {
  name: string;
  uid: string;
  providerID: string | undefined;
  node: string;
  instance: string | undefined;
}

export class InPlace {
  readonly rollout: Rollout;
  readonly nodes: NodeRecorder;
  /** Of the machines with which the deployment began, by name. */
  readonly before: readonly Identity[];

  private constructor(rollout: Rollout, nodes: NodeRecorder, before: readonly Identity[]) {
    this.rollout = rollout;
    this.nodes = nodes;
    this.before = before;
  }

  static async begin(
    rollouts: Rollouts,
    { replicas, agents, spec, ...block }: InPlaceWanted,
  ): Promise<InPlace> {
    const inPlaceUpdate = {
      maxSurge: 0,
      maxUnavailable: 1,
      orchestrationType: 'Auto',
      ...block,
    } as const;
    const strategy = { type: 'InPlaceUpdate', inPlaceUpdate } as const;
    const rollout = await rollouts.begin({ replicas, strategy, ...spec });
    const nodes = new NodeRecorder(rollout.scenario);
    await nodes.started();
    const inPlace = new InPlace(rollout, nodes, await identitiesOf(rollout));
    if (agents !== undefined)
      for (const { node } of inPlace.before) await inPlace.tell(node, agents);
    return inPlace;
  }

  get scenario(): Scenario {
    return this.rollout.scenario;
  }

  get names(): string[] {
    return this.before.map(({ name }) => name);
  }

  /** Names of Machines, which their Nodes have as well. */
  async tell(node: string, behaviour: string): Promise<void> {
    await this.mark(node, { annotations: { [behaviourAnnotation]: behaviour } });
  }

  /** As `kubectl label` and `kubectl annotate` do. */
  async mark(node: string, metadata: object): Promise<void> {
    await this.scenario.cluster.target.patch(nodePath(node), 'merge', { metadata });
  }

  async select(node: string): Promise<void> {
    await this.mark(node, { labels: { [labels.selectedForUpdate]: 'true' } });
  }

  /** Of the machines that there are: only the set of the template gives its own what is new. */
  async configure(spec: object): Promise<void> {
    await this.rollout.patch({ template: { spec } });
    await eventually(`the machines have ${JSON.stringify(spec)}`, async () => {
      for (const machine of await machinesOf(this.scenario, this.rollout.name))
        expect(machine.spec).toMatchObject(spec);
    });
  }

  /** Gives the deployment another template: an update begins. */
  async changeTemplate(image: string): Promise<void> {
    await this.rollout.patch({
      template: { metadata: { annotations: { 'example.com/image': image } } },
    });
  }

  async node(name: string): Promise<NodeObject> {
    return await this.scenario.cluster.target.get<NodeObject>(nodePath(name));
  }

  async untilReason(name: string, reason: InPlaceReason): Promise<void> {
    await eventually(`Node ${name} is ${reason}`, async () => {
      const { metadata, status } = await this.node(name);
      const seen = { labels: metadata.labels, reason: inPlaceReasonOf(status?.conditions) };
      expect(seen).toMatchObject({ reason });
    });
  }

  /** Waits until so many Nodes have the reason. Returns their names. */
  async untilSome(count: number, reason: InPlaceReason): Promise<string[]> {
    return await eventually(`${count} Nodes are ${reason}`, async () => {
      const nodes = await this.scenario.cluster.nodes();
      const found = nodes.filter(({ status }) => inPlaceReasonOf(status?.conditions) === reason);
      expect(found.map(({ metadata }) => metadata.name)).toHaveLength(count);
      return found.map(({ metadata }) => metadata.name).toSorted();
    });
  }

  /** Waits until these machines are of the set of the template. */
  async untilMoved(names: readonly string[]): Promise<void> {
    await eventually(`${names.join(', ')} have moved`, async () => {
      const machines = await machinesOf(this.scenario, this.rollout.name);
      const old = machines.filter((machine) => setOf(machine) === this.rollout.firstSet);
      const left = old.map(({ metadata }) => metadata.name);
      expect(names.filter((name) => left.includes(name))).toEqual([]);
    });
  }

  /**
   * Waits for the end: all machines are in the set of the template, those that were updated are the
   * same as before, and what was marked for the update is marked no more. `made`: machines that are
   * new; default none. Returns names of the machines.
   */
  async expectUpdated({ replicas = this.before.length, made = 0 } = {}): Promise<string[]> {
    await untilComplete(this.scenario, this.rollout.name);
    const machines = await machinesOf(this.scenario, this.rollout.name);
    const newest = (await this.rollout.revisions()).at(-1);
    expect(machines.map(setOf)).toEqual(Array.from({ length: replicas }, () => newest?.set));
    const after = await identitiesOf(this.rollout);
    const same = after.filter(({ name }) => this.names.includes(name));
    expect(this.before).toEqual(expect.arrayContaining(same));
    expect(after).toHaveLength(same.length + made);
    for (const { name } of same) await this.#expectTidy(name);
    const waited = same.filter(({ name }) => this.nodes.waited.has(name));
    expect(waited).toEqual(same);
    await this.rollout.expectOneVmPerName();
    await this.rollout.untilFound('State="Complete"');
    return after.map(({ name }) => name);
  }

  /** Instances that were deleted since. Names. */
  async deleted(): Promise<string[]> {
    const deletions = await this.scenario.cloud.deletions();
    return deletions.map(({ name }) => name).filter((name) => name.startsWith(this.rollout.name));
  }

  /** At the end of inplace.md 3, step 4. The label of the Machine goes last. */
  async #expectTidy(name: string): Promise<void> {
    await eventually(`${name} carries no marks of its update`, async () => {
      const machine = await this.scenario.cluster.machine(name);
      const node = await this.node(name);
      const { metadata, spec } = node;
      expect({
        machine: machine.metadata.labels?.[labels.updateResult],
        hash: machine.metadata.labels?.[labels.templateHash],
        phase: ['Running', 'Available'].includes(machine.status?.currentStatus?.phase ?? ''),
        copied: inPlaceReasonOf(machine.status?.conditions),
        node: { ...inPlaceNodeOf(node), since: 0 },
        because: metadata.annotations?.[annotations.updateFailedReason],
        isClosed: spec?.unschedulable ?? false,
        taints: spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).toSorted(),
      }).toEqual({
        machine: undefined,
        hash: await this.#newestHash(),
        phase: true,
        copied: 'UpdateSuccessful',
        node: { reason: 'UpdateSuccessful', since: 0 },
        because: undefined,
        isClosed: false,
        // The agents have taken off the one that it waits with for its critical components.
        taints: ['dedicated:NoSchedule'],
      });
    });
  }

  async #newestHash(): Promise<string | undefined> {
    const newest = (await this.rollout.revisions()).at(-1)?.set;
    const sets = await this.scenario.cluster.sets();
    const set = sets.find(({ metadata }) => metadata.name === newest);
    return set?.metadata.labels?.[labels.templateHash];
  }
}

async function identitiesOf({ scenario, name: pool }: Rollout): Promise<Identity[]> {
  const instances = await scenario.cloud.instances();
  const machines = await machinesOf(scenario, pool);
  return machines
    .map(({ metadata, spec }): Identity => {
      const instance = instances.find(({ providerID }) => providerID === spec.providerID);
      const { name, uid } = metadata;
      const node = metadata.labels?.['node'] ?? '';
      return { name, uid, providerID: spec.providerID, node, instance: instance?.id };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

export function setOf({ metadata }: Machine): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.name;
}

export interface InPlaces {
  scenario: Scenario;
  agent: UpdateAgent;
  begin(wanted: InPlaceWanted): Promise<InPlace>;
}

/** As `useRollouts`, with the agents of the scenario's Nodes, which are a process of its own. */
export function useInPlace(name: string, options: ScenarioOptions = {}): InPlaces {
  const rollouts = useRollouts(name, options);
  const { namespace } = rollouts.scenario;
  const stack = testStack();
  const log = join(logFolderOf(stack, namespace), 'update-agent.log');
  const agent = new UpdateAgent({ layout: stack.layout, nodes: `${namespace}-*`, log });
  let current: InPlace | undefined;
  beforeAll(() => agent.start());
  afterEach(async () => {
    await current?.nodes.stop();
    current = undefined;
  });
  afterAll(() => agent.kill9());
  return {
    scenario: rollouts.scenario,
    agent,
    async begin(wanted) {
      current = await InPlace.begin(rollouts, wanted);
      return current;
    },
  };
}
