/** A scenario that begins with what MCM left at a recorded moment. The test starts the operator. */
import type { KubeObject } from '../../../kube/client/client.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { type Kind as WorkflowKind } from '../../../workflows/contracts/references.ts';
import { operatorWrites } from './audit.ts';
import type { Bounds } from './bounds-check.ts';
import { StateRecorder } from './bounds.ts';
import { eventually } from '../../support/eventually.ts';
import { expectOneInstanceEach } from './invariants.ts';
import { createMachine, deleteMachine, untilPhase } from './machines.ts';
import { factsOfDeployment, factsOfMachine, factsOfNode, factsOfSet } from './mcm-facts.ts';
import { handOver, type Handover } from './mcm-handover.ts';
import { readRecording, type Moment, type Recording } from './mcm-recording.ts';
import { Scenario, type ScenarioOptions } from './scenario.ts';

/** Name -> UID, with the word "going" when it has a deletionTimestamp. */
export type Lives = Record<string, string>;

type Kind = 'machines' | 'machinesets' | 'machinedeployments';

interface Managed extends KubeObject {
  metadata: KubeObject['metadata'] & { managedFields?: { manager: string }[] };
}

const fieldManager = 'millwright';

const marker = 'marker';

export class Takeover {
  readonly scenario: Scenario;
  readonly recorder: StateRecorder;
  readonly #moment: Moment;
  #handover: Handover | undefined;
  #begin = 0;
  #markers = 0;

  constructor(name: string, moment: Moment, options: ScenarioOptions) {
    this.scenario = new Scenario(name, options);
    this.#moment = moment;
    const { cluster, namespace } = this.scenario;
    this.recorder = new StateRecorder(cluster.kube, namespace);
  }

  async prepare(): Promise<void> {
    this.#handover = await handOver(this.scenario, this.#moment);
    await this.recorder.started();
    const { machines } = this.recording;
    const available = machines.filter(isAvailable).length;
    this.#begin = await this.recorder.markWhen(
      'the recorder has seen the whole handover',
      (state) => state.total === machines.length && state.available === available,
    );
  }

  /** Starts the operator, and waits until each object has had a workflow. */
  async begin(): Promise<void> {
    const { operator, workflows } = this.scenario;
    operator.start();
    const { deployments, sets, machines } = this.recording;
    const wanted = [
      ...this.#workflowsOf('machineDeployment', deployments),
      ...this.#workflowsOf('machineSet', sets),
      ...this.#workflowsOf('machine', machines),
    ];
    await eventually('each object has a workflow', async () => {
      const ids = (await workflows.list()).map(({ workflowId }) => workflowId);
      expect(ids).toEqual(expect.arrayContaining(wanted));
    });
  }

  /** In every state since the handover, or since it was last quiet: markers count as machines. */
  expectBounds(bounds: Bounds): void {
    this.recorder.expectBounds({ ...bounds, from: this.#begin });
  }

  /** What was handed over. */
  get recording(): Recording {
    return this.#handedOver.recording;
  }

  /** What MCM itself made of it at another moment. */
  recordingOf(moment: Moment): Recording {
    return readRecording(moment, { namespace: this.scenario.namespace });
  }

  get machineNames(): string[] {
    return namesOf(this.recording.machines);
  }

  /** Machines that MCM had not begun to delete, in a set or in all. */
  remaining(set = ''): Lives {
    const { machines } = this.recording;
    const left = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return this.#handedOverLives(left.filter(({ metadata }) => metadata.name.startsWith(set)));
  }

  get handedOverSets(): Lives {
    return this.#handedOverLives(this.recording.sets);
  }

  async sets(): Promise<Lives> {
    return livesOf(await this.scenario.cluster.sets());
  }

  async machines(): Promise<Lives> {
    return livesOf(await this.scenario.cluster.machines());
  }

  /** Every Machine that ever was, markers left out. */
  get everyMachine(): string[] {
    return [...this.recorder.machineNames].filter(isNoMarker).toSorted();
  }

  /** Deployments and sets are, or become, as in a recording; those of one deployment, or all. */
  async untilAsIn({ deployments, sets }: Recording, prefix = ''): Promise<void> {
    const { cluster } = this.scenario;
    const ours = <T extends KubeObject>(objects: T[]): T[] =>
      byName(objects.filter(({ metadata }) => metadata.name.startsWith(prefix)));
    await eventually('deployments and sets are as MCM would have them', async () => {
      const [deploymentsNow, setsNow] = [await cluster.deployments(), await cluster.sets()];
      expect(ours(deploymentsNow).map(factsOfDeployment)).toEqual(
        ours(deployments).map(factsOfDeployment),
      );
      expect(ours(setsNow).map(factsOfSet)).toEqual(ours(sets).map(factsOfSet));
    });
  }

  /** Machines that there are now and that the recording knows by name are as in it. */
  async expectMachinesAsIn({ machines }: Recording): Promise<void> {
    const now = await this.scenario.cluster.machines();
    expect(commonTo(now, machines).map(factsOfMachine)).toEqual(
      commonTo(machines, now).map(factsOfMachine),
    );
  }

  /** As many Nodes as in a recording, and like them. Their names may differ. */
  async untilNodesAsIn({ nodes }: Recording): Promise<void> {
    await eventually('Nodes are as MCM would have them', async () => {
      const now = await this.scenario.cluster.nodes();
      expect(now.map(factsOfNode)).toEqual(nodes.map(factsOfNode));
    });
  }

  /**
   * A machine that has nothing to do with it comes and goes without effect: all that came before it
   * has been seen.
   */
  async untilQuiet(): Promise<void> {
    await eventually('nothing happens any more', async () => {
      const before = await this.#costs();
      await this.#comeAndGo();
      expect(await this.#costs()).toEqual(before);
    });
    const total = Object.keys(await this.machines()).length;
    this.#begin = await this.recorder.markWhen(
      'the recorder has seen the marker go',
      (state) => state.total === total,
    );
  }

  /** Our writes to objects of a kind, those of markers left out. */
  async writesOn(kind: Kind): Promise<string[]> {
    return (await this.#writes()).filter((line) => line.split(/[/?]/).includes(kind));
  }

  /**
   * Names of Nodes that we changed: the API server notes who did. A patch that asks first and is
   * refused changes nothing.
   */
  async changedNodes(): Promise<string[]> {
    const nodes: Managed[] = await this.scenario.cluster.nodes();
    return namesOf(
      nodes.filter(({ metadata: { managedFields = [] } }) =>
        managedFields.some(({ manager }) => manager === fieldManager),
      ),
    );
  }

  /** Names for which the cloud made and deleted VMs, those that stand for MCM's included. */
  async instances(): Promise<{ created: string[]; deleted: string[] }> {
    const calls = (await this.scenario.cloud.happenings()).filter(({ type }) => type === 'call');
    const namesIn = (operation: string, outcome: string): string[] =>
      calls
        .filter((call) => call.operation === operation && call.outcome === outcome)
        .map(({ name = '' }) => name)
        .filter(isNoMarker)
        .toSorted();
    return { created: namesIn('create', 'created'), deleted: namesIn('delete', 'ok') };
  }

  get #handedOver(): Handover {
    if (this.#handover === undefined) throw new Error('nothing was handed over yet');
    return this.#handover;
  }

  #handedOverLives(objects: KubeObject[]): Lives {
    const { uids } = this.#handedOver;
    return livesOf(
      objects.map(({ metadata }) => ({
        metadata: { ...metadata, uid: uids.get(metadata.uid) ?? '' },
      })),
    );
  }

  #workflowsOf(kind: WorkflowKind, objects: KubeObject[]): string[] {
    const { namespace } = this.scenario;
    return objects.map(({ metadata: { name } }) => workflowIdOf(kind, { namespace, name }));
  }

  async #comeAndGo(): Promise<void> {
    this.#markers += 1;
    const name = await createMachine(this.scenario, `${marker}${this.#markers}`, {
      // One that is in use: the first and the last machine of a class write its finalizer.
      class: this.recording.machines[0]?.spec.class ?? {},
    });
    await untilPhase(this.scenario, name, 'Running');
    await deleteMachine(this.scenario, name);
  }

  async #costs(): Promise<object> {
    const events = Object.entries(await this.scenario.workflows.eventCounts());
    const ofObjects = events.filter(([id]) => id.startsWith('machine') && isNoMarker(id));
    return { events: Object.fromEntries(ofObjects), writes: await this.#writes() };
  }

  async #writes(): Promise<string[]> {
    return (await operatorWrites(this.scenario.namespace)).filter(isNoMarker);
  }
}

const isAvailable = ({ metadata, status }: Machine): boolean =>
  metadata.deletionTimestamp === undefined && status?.currentStatus?.phase === 'Running';

const isNoMarker = (text: string): boolean => !text.includes(marker);

const byName = <T extends KubeObject>(objects: T[]): T[] =>
  objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

/** Those of the first list whose names are in the second. */
const commonTo = <T extends KubeObject>(objects: T[], others: T[]): T[] =>
  byName(objects.filter(({ metadata }) => namesOf(others).includes(metadata.name)));

const namesOf = (objects: KubeObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name).toSorted();

const livesOf = (objects: KubeObject[]): Lives =>
  Object.fromEntries(
    objects.map(({ metadata: { name, uid, deletionTimestamp } }) => [
      name,
      deletionTimestamp === undefined ? uid : `${uid} going`,
    ]),
  );

export function useTakeover(name: string, moment: Moment, options: ScenarioOptions = {}): Takeover {
  const takeover = new Takeover(name, moment, options);
  const { scenario, recorder } = takeover;
  beforeAll(() => takeover.prepare());
  afterAll(async () => {
    try {
      await expectOneInstanceEach(scenario);
    } finally {
      await recorder.stop();
      await scenario.end();
    }
  });
  return takeover;
}

/** Begins, and finds everything as MCM left it. Returns what was written to Machines and owners. */
export async function writesOfTakeover(takeover: Takeover): Promise<string[]> {
  await takeover.begin();
  await takeover.untilQuiet();
  expect(await takeover.machines()).toEqual(takeover.remaining());
  expect(takeover.everyMachine).toEqual(takeover.machineNames);
  expect(await takeover.instances()).toEqual({ created: takeover.machineNames, deleted: [] });
  expect(await takeover.sets()).toEqual(takeover.handedOverSets);
  await takeover.untilAsIn(takeover.recording);
  await takeover.untilNodesAsIn(takeover.recording);
  expect(await takeover.changedNodes()).toEqual([]);
  const kinds = ['machines', 'machinesets', 'machinedeployments'] as const;
  return (await Promise.all(kinds.map((kind) => takeover.writesOn(kind)))).flat();
}
