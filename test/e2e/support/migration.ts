/** A scenario that the real MCM looks after at first, and the commands that move it. */
import type { Answer } from '../../../cli/command-line/answer.ts';
import { answerTo } from '../../support/command-line.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import type { Bounds } from './bounds-check.ts';
import { StateRecorder } from './bounds.ts';
import { eventually } from '../../support/eventually.ts';
import { expectOneInstanceEach } from './invariants.ts';
import { className, classManifest, secretManifest, secretName } from './manifests.ts';
import { Installs, type MigrationOptions } from './real-mcm.ts';
import { createNamespace } from './rights.ts';
import { Scenario, type ScenarioOptions } from './scenario.ts';
import { testStack } from './test-stack.ts';

/** What nobody may touch on the way. */
export interface Belongings {
  /** Name -> UID of each Machine, with "going" where it is being deleted. */
  machines: Record<string, string>;
  /** Name -> id of each VM. */
  instances: Record<string, string>;
  /** Name -> UID of each Node, with "cordoned" where it is. */
  nodes: Record<string, string>;
  /** How often a VM was made, and deleted. */
  created: number;
  deleted: number;
}

export class MigratedScenario {
  readonly scenario: Scenario;
  readonly installs: Installs;
  readonly recorder: StateRecorder;

  constructor(name: string, options: MigrationOptions & ScenarioOptions = {}) {
    this.scenario = new Scenario(name, { isDoubled: false, ...options });
    this.installs = new Installs(this.scenario, options);
    const { cluster, namespace } = this.scenario;
    this.recorder = new StateRecorder(cluster.kube, namespace);
  }

  async prepare(): Promise<void> {
    const { cluster, namespace } = this.scenario;
    await createNamespace(cluster.kube, namespace);
    await cluster.kube.create(namespaced('secrets', namespace), {
      ...secretManifest({ namespace, name: secretName }),
    });
    await cluster.create('machineclasses', this.classManifest());
    await this.recorder.started();
    await this.installs.start();
    await this.installs.untilMcmLeads();
    await this.installs.untilReady();
  }

  /** With a tag by which MCM knows its own. */
  classManifest(name = className, size = 'small'): object {
    const { namespace } = this.scenario;
    const providerSpec = { size, tags: { pool: namespace } };
    return classManifest({ namespace, name }, { providerSpec });
  }

  async run(command: string, ...more: string[]): Promise<Answer> {
    const { namespace } = this.scenario;
    const { layout, temporalAddress } = testStack();
    return await answerTo([
      'migrate',
      command,
      `--namespace=${namespace}`,
      `--kubeconfig=${layout.kubeconfig}`,
      `--temporal-address=${temporalAddress}`,
      ...more,
    ]);
  }

  async belongings(): Promise<Belongings> {
    const { cluster, cloud } = this.scenario;
    const calls = (await cloud.happenings()).filter(({ type }) => type === 'call');
    const counted = (operation: string, outcome: string): number =>
      calls.filter((call) => call.operation === operation && call.outcome === outcome).length;
    const machines = await cluster.machines();
    const nodes = await cluster.nodes();
    return {
      machines: Object.fromEntries(
        machines.map(({ metadata: { name, uid, deletionTimestamp } }) => [
          name,
          deletionTimestamp === undefined ? uid : `${uid} going`,
        ]),
      ),
      instances: Object.fromEntries((await cloud.instances()).map(({ name, id }) => [name, id])),
      nodes: Object.fromEntries(
        nodes.map(({ metadata: { name, uid }, spec }) => [
          name,
          spec?.unschedulable === true ? `${uid} cordoned` : uid,
        ]),
      ),
      created: counted('create', 'created'),
      deleted: counted('delete', 'ok'),
    };
  }

  /** In every state since the moment. */
  expectBounds(bounds: Bounds): void {
    this.recorder.expectBounds(bounds);
  }

  async end(): Promise<void> {
    const { scenario, installs, recorder } = this;
    const { cluster, namespace } = scenario;
    try {
      await scenario.cloud.clearFaults();
      for (const kind of ['machinedeployments', 'machinesets', 'machines'] as const) {
        await cluster.delete(cluster.pathOf(kind));
      }
      await eventually('no Machine is left', async () => {
        expect(await cluster.machines()).toEqual([]);
        expect(await cluster.deployments()).toEqual([]);
        expect(await scenario.cloud.instances()).toEqual([]);
      });
    } finally {
      await installs.stop();
      await recorder.stop();
      // Nobody takes the finalizers of MCM off any more, which keep a class and its Secret.
      const path = namespaced('secrets', namespace, secretName);
      const withoutFinalizers = { metadata: { finalizers: null } };
      for (const { metadata } of await cluster.list<{ metadata: { name: string } }>(
        cluster.pathOf('machineclasses'),
      )) {
        await cluster.patch('machineclasses', metadata.name, withoutFinalizers);
      }
      await ignoreNotFound(cluster.kube.patch(path, 'merge', withoutFinalizers));
      await scenario.end();
    }
  }
}

export function useMcm(
  name: string,
  options: MigrationOptions & ScenarioOptions = {},
): MigratedScenario {
  const migrated = new MigratedScenario(name, options);
  beforeAll(() => migrated.prepare());
  afterEach(async () => {
    await migrated.scenario.cloud.clearFaults();
    await expectOneInstanceEach(migrated.scenario);
  });
  afterAll(() => migrated.end());
  return migrated;
}
