/** A MachineDeployment that is rolled while every state of its machines is recorded. */
import type {
  MachineDeployment,
  MachineDeploymentSpec,
} from '../../../workflows/api/machine-deployment.ts';
import type { RolloutView } from '../../../workflows/machine-deployment/reports.ts';
import { StateRecorder } from './bounds.ts';
import { type Moment, type State } from './states.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, deleteDeployment, machinesOf, untilRunning } from './machines.ts';
import { createClass, revisionsOf, untilComplete, type Revision } from './rollouts.ts';
import { useScenario, type Scenario, type ScenarioOptions } from './scenario.ts';

/** Classes that every scenario has besides `small`, with which a deployment begins. */
export const secondClass = 'medium';
export const thirdClass = 'large';

export type Wanted = Partial<MachineDeploymentSpec> & {
  replicas: number;
  /** Count or percentage. Default 1. */
  maxSurge?: number | string;
  /** Default 0. */
  maxUnavailable?: number | string;
};

/** What the recorder saw last of the first set and of all others. */
export interface Sizes {
  old: number;
  new: number;
}

export class Rollout {
  readonly scenario: Scenario;
  readonly name: string;
  readonly recorder: StateRecorder;
  /** Set of the first template. */
  readonly firstSet: string;
  /** Names of the machines with which the deployment began. */
  readonly firstMachines: readonly string[];

  private constructor(
    scenario: Scenario,
    recorder: StateRecorder,
    first: { name: string; set: string; machines: string[] },
  ) {
    this.scenario = scenario;
    this.recorder = recorder;
    this.name = first.name;
    this.firstSet = first.set;
    this.firstMachines = first.machines;
  }

  /** Creates the deployment; all its machines are Running, and the recording has begun. */
  static async begin(
    scenario: Scenario,
    short: string,
    { maxSurge = 1, maxUnavailable = 0, ...spec }: Wanted,
  ): Promise<Rollout> {
    const rollingUpdate = { maxSurge, maxUnavailable };
    const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
    const name = await createDeployment(scenario, short, { strategy, ...spec });
    const running = await untilRunning(scenario, name, spec.replicas);
    await untilComplete(scenario, name);
    const recorder = new StateRecorder(scenario.cluster.kube, scenario.namespace);
    await recorder.started();
    const [first] = await revisionsOf(scenario, name);
    const machines = running.map(({ metadata }) => metadata.name).toSorted();
    return new Rollout(scenario, recorder, { name, set: first?.set ?? '', machines });
  }

  /** Stops the recording, and deletes the deployment unless a test did. */
  async end(): Promise<void> {
    await this.recorder.stop();
    await deleteDeployment(this.scenario, this.name);
  }

  async deployment(): Promise<MachineDeployment> {
    return await this.scenario.cluster.deployment(this.name);
  }

  /** Merges into the spec, as `kubectl patch` does. */
  async patch(spec: object): Promise<void> {
    await this.scenario.cluster.patch('machinedeployments', this.name, { spec });
  }

  /** Null takes an annotation away. */
  async annotate(annotations: Record<string, string | null>): Promise<void> {
    await this.scenario.cluster.patch('machinedeployments', this.name, {
      metadata: { annotations },
    });
  }

  /**
   * Replaces the template's class: a rollout begins. `configuration` is of machines, e.g.
   * `creationTimeout`.
   */
  async changeClass(name: string, configuration: object = {}): Promise<void> {
    const spec = { class: { kind: 'MachineClass', name }, ...configuration };
    await this.patch({ template: { spec } });
  }

  async signal(name: string, argument: object): Promise<void> {
    await this.scenario.workflows.handleOf('machineDeployment', this.name).signal(name, argument);
  }

  /** Returns the answer. */
  async update(name: string, argument: object): Promise<unknown> {
    const handle = this.scenario.workflows.handleOf('machineDeployment', this.name);
    return await handle.executeUpdate(name, { args: [argument] });
  }

  /** Waits until new machines are available and old ones still there. */
  async untilMiddle(newAvailable = 1): Promise<Moment> {
    return await this.recorder.markWhen(`${newAvailable} new machines are available`, (state) => {
      const { old, others } = this.#split(state);
      return others.available >= newAvailable && old.active > 0;
    });
  }

  /** Wanted sizes, as the recorder saw them last. */
  get sizes(): Sizes {
    const last = this.recorder.states.at(-1);
    if (last === undefined) throw new Error('nothing was recorded');
    const { old, others } = this.#split(last);
    return { old: old.wanted, new: others.wanted };
  }

  /**
   * Waits until each set has as many available machines as it wants, and none is going away.
   * Returns what the query says.
   */
  async untilSettled(): Promise<RolloutView> {
    return await eventually(`the sets of ${this.name} have what they want`, async () => {
      const view = await this.view();
      const unsettled = view.sets.filter(
        ({ replicas, present, available, goingAway }) =>
          present !== replicas || available !== replicas || goingAway > 0,
      );
      expect(unsettled).toEqual([]);
      // Of a test that goes on with `sizes`: the recorder may be behind the workflow.
      const { sets = {} } = this.recorder.states.at(-1) ?? {};
      for (const { name, replicas } of view.sets) expect(sets[name]?.wanted).toBe(replicas);
      return view;
    });
  }

  async view(): Promise<RolloutView> {
    const handle = this.scenario.workflows.handleOf('machineDeployment', this.name);
    const view: RolloutView = await handle.query('rollout');
    return view;
  }

  /** Waits until Temporal finds the workflow so, e.g. `State="Paused"`. */
  async untilFound(query: string): Promise<void> {
    const { workflows, namespace } = this.scenario;
    const id = `machineDeployment/${namespace}/${this.name}`;
    await eventually(`Temporal finds ${id} by ${query}`, async () => {
      expect(await workflows.running(query)).toContain(id);
    });
  }

  /** Whatever was under way is done: nothing that happened before can change the sizes any more. */
  async expectStandstill(): Promise<void> {
    await this.untilSettled();
    const { sizes } = this;
    await roundTrip(this.scenario);
    expect(this.sizes).toEqual(sizes);
  }

  /** Events of the deployment: `ScalingMachineSet | Scaled up machine set x to 3`. */
  async events(): Promise<string[]> {
    const events = await this.scenario.cluster.events('MachineDeployment', this.name);
    return events.map(({ reason, message }) => `${reason} | ${message}`);
  }

  /** Waits for an Event that begins so. */
  async untilEvent(beginning: string): Promise<void> {
    await eventually(`an Event of ${this.name}: ${beginning}`, async () => {
      const events = await this.events();
      expect(events.filter((text) => text.startsWith(beginning))).not.toEqual([]);
    });
  }

  async revisions(): Promise<Revision[]> {
    return await revisionsOf(this.scenario, this.name);
  }

  /**
   * Waits for the end: all machines have the class, no VM was made twice, Temporal says Complete.
   * Returns the machines' names.
   */
  async expectEnd({
    class: wanted,
    replicas,
  }: {
    class: string;
    replicas: number;
  }): Promise<string[]> {
    await untilComplete(this.scenario, this.name);
    const machines = await machinesOf(this.scenario, this.name);
    expect(machines.map(({ spec }) => spec.class?.name)).toEqual(
      Array.from({ length: replicas }, () => wanted),
    );
    await this.expectOneVmPerName();
    await this.untilFound('State="Complete"');
    return machines.map(({ metadata }) => metadata.name).toSorted();
  }

  async expectOneVmPerName(): Promise<void> {
    const { createsPerName } = await this.scenario.cloud.calls();
    expect(Object.entries(createsPerName).filter(([, count]) => count !== 1)).toEqual([]);
  }

  #split({ sets }: State): Record<'old' | 'others', { [count in Sum]: number }> {
    const others = Object.entries(sets).filter(
      ([name]) => name !== this.firstSet && name.startsWith(`${this.name}-`),
    );
    return { old: sumOf([sets[this.firstSet]]), others: sumOf(others.map(([, set]) => set)) };
  }
}

type Sum = 'wanted' | 'active' | 'available';
type Part = State['sets'][string] | undefined;

function sumOf(sets: Part[]): Record<Sum, number> {
  const sum = (name: Sum): number => sets.reduce((total, set) => total + (set?.[name] ?? 0), 0);
  return { wanted: sum('wanted'), active: sum('active'), available: sum('available') };
}

/** Something unrelated goes the whole way through watcher and worker, without a machine. */
async function roundTrip(scenario: Scenario): Promise<void> {
  markers += 1;
  const marker = await createDeployment(scenario, `marker${markers}`, { replicas: 0 });
  await untilComplete(scenario, marker);
  await deleteDeployment(scenario, marker);
}

let markers = 0;

export interface Rollouts {
  scenario: Scenario;
  begin(wanted: Wanted): Promise<Rollout>;
}

/**
 * A scenario with three classes. Each test begins a rollout of its own, which ends with the test.
 */
export function useRollouts(name: string, options: ScenarioOptions = {}): Rollouts {
  const scenario = useScenario(name, options);
  let count = 0;
  let current: Rollout | undefined;
  beforeAll(async () => {
    for (const one of [secondClass, thirdClass]) await createClass(scenario, one);
  });
  afterEach(async () => {
    await current?.end();
    current = undefined;
  });
  return {
    scenario,
    async begin(wanted) {
      count += 1;
      current = await Rollout.begin(scenario, `p${count}`, wanted);
      return current;
    },
  };
}
