/**
 * A scenario: a namespace of its own on the shared stack, with a MachineClass, an administrator's
 * view of cluster, cloud and workflows, and an operator of its own that can be killed without
 * hurting the others.
 */
import { randomBytes } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { KubeObject } from '../../../kube/client/client.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import type { MachineKind } from '../../../kube/client/paths.ts';
import { deleteChecks } from './checks.ts';
import { Cluster } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { expectNothingLeft, expectOneInstanceEach } from './invariants.ts';
import { expectNoTroubles } from './troubles.ts';
import { createNamespace, revokeRights } from './rights.ts';
import { className, classManifest, secretManifest, secretName } from './manifests.ts';
import type { User } from '../../../deploy/local/layout.ts';
import { type Access, Operator, type OperatorOptions } from './operator.ts';
import { isNight, testStack, type TestStack } from './test-stack.ts';
import { VirtualCloud } from './virtual-cloud.ts';
import { WorkflowRecords } from './workflow-records.ts';
import { dataConverterOf } from '../../../workers/payloads/data-converter.ts';
import { readPayloadKeys } from '../../../workers/payloads/keys.ts';
import { taskQueueOf } from '../../../workflows/contracts/task-queues.ts';

export interface ScenarioOptions extends Partial<Omit<OperatorOptions, 'namespace'>> {
  /** Troubles at the end that the test causes itself, as `expectNoTroubles` words them. */
  causes?: readonly RegExp[];
  /**
   * Where its objects are, and where its Nodes and VMs. Default both on the stack that all share.
   */
  clusters?: { control: TestStack; target: TestStack };
  /** `--cluster-name` of its operator. */
  clusterName?: string;
  /** `--payload-keys` of its operator. Default none: payloads are plain. */
  payloadKeys?: string;
  /** The fleet that serves it, in the place of an operator of its own. */
  fleet?: { name: string; operator: Operator };
  /**
   * Gives its processes their rights, in the place of those that the users of the local stack have.
   */
  grant?: (scenario: Scenario) => Promise<void>;
}

const kinds: MachineKind[] = ['machinedeployments', 'machinesets', 'machines', 'machineclasses'];

export class Scenario {
  readonly namespace: string;
  readonly cluster: Cluster;
  readonly cloud: VirtualCloud;
  readonly workflows: WorkflowRecords;
  readonly operator: Operator;

  readonly #causes: readonly RegExp[];
  readonly #fleet: ScenarioOptions['fleet'];
  readonly #grant: ScenarioOptions['grant'];

  constructor(
    name: string,
    {
      causes = [],
      clusters,
      clusterName,
      payloadKeys,
      grant,
      fleet,
      ...more
    }: ScenarioOptions = {},
  ) {
    const stack = testStack();
    const { control, target } = clusters ?? { control: stack, target: stack };
    const given = payloadKeys === undefined ? more : withKeys(more, payloadKeys);
    const options = { ...(clusters && placeOf(clusters, clusterName, more.isInOne)), ...given };
    // All names of a scenario begin with its namespace: Nodes and VMs are shared by all.
    this.namespace = `${name}-${randomBytes(2).toString('hex')}`;
    const { kubeconfig } = control.layout;
    this.cluster = new Cluster(this.namespace, kubeconfig, target.layout.kubeconfig);
    this.cloud = new VirtualCloud(target.virtualCloud, this.namespace);
    this.workflows = new WorkflowRecords(this.namespace, stack.temporalAddress, {
      clusterName,
      fleet: fleet?.name,
      dataConverter: dataConverterFor(payloadKeys),
    });
    this.#causes = causes;
    this.#fleet = fleet;
    this.#grant = grant;
    this.operator =
      fleet?.operator ?? ownOperator(stack, { namespace: this.namespace, ...options });
  }

  /** A name that is the scenario's own, also among Nodes and VMs. */
  named(name: string): { namespace: string; name: string } {
    return { namespace: this.namespace, name: `${this.namespace}-${name}` };
  }

  /** Of the workflows of its operator, which runs with default flags. */
  async taskQueue(): Promise<string> {
    return taskQueueOf({ cluster: await this.cluster.uid(), name: this.namespace });
  }

  async start(): Promise<void> {
    const { namespace, cluster } = this;
    if (this.#grant === undefined) await createNamespace(cluster.kube, namespace);
    else await this.#grant(this);
    if (!this.#fleet) this.operator.start();
    const secret = secretManifest({ namespace, name: secretName });
    await cluster.kube.create(namespaced('secrets', namespace), secret);
    await cluster.create('machineclasses', classManifest({ namespace, name: className }));
  }

  /**
   * Deletes what the test left, and looks that nothing stays behind and that nothing went wrong
   * unseen.
   */
  async end(): Promise<void> {
    try {
      await this.cloud.clearFaults();
      await this.#deleteAll(['machinedeployments', 'machinesets', 'machines']);
      await expectNothingLeft(this);
      await this.#deleteAll(['machineclasses']);
      await this.cluster.delete(namespaced('secrets', this.namespace, secretName));
      await eventually('the class and its Secret are gone', () => this.#expectGone());
      await this.#stopOperator();
      await expectNoTroubles(this, this.#causes);
    } finally {
      await this.#stopOperator();
      await this.#sweep();
    }
  }

  get #install(): string {
    return this.#fleet?.name ?? this.namespace;
  }

  /** That of a fleet has others to serve. */
  async #stopOperator(): Promise<void> {
    if (!this.#fleet) await this.operator.stop();
  }

  async #deleteAll(wanted: MachineKind[]): Promise<void> {
    for (const kind of wanted) await this.cluster.delete(this.cluster.pathOf(kind));
  }

  async #expectGone(): Promise<void> {
    const classes = await this.cluster.list<KubeObject>(this.cluster.pathOf('machineclasses'));
    const path = namespaced('secrets', this.namespace, secretName);
    const secret = await this.cluster.find<KubeObject>(path);
    const left = [...classes, ...(secret ? [secret] : [])];
    if (left.length > 0) {
      const words = left.map(({ metadata }) => `${metadata.name} (${metadata.finalizers?.join()})`);
      throw new Error(`still there: ${words.join(', ')}`);
    }
  }

  /**
   * Whatever a failed test left must not disturb the others: finalizers, VMs, Nodes, workflows and
   * the namespace go.
   */
  async #sweep(): Promise<void> {
    const { cluster, cloud, workflows } = this;
    for (const kind of kinds) {
      for (const { metadata } of await cluster.list<KubeObject>(cluster.pathOf(kind))) {
        if (metadata.finalizers) await this.#strip(cluster.pathOf(kind, metadata.name));
      }
    }
    const secretPath = namespaced('secrets', this.namespace);
    for (const { metadata } of await cluster.list<KubeObject>(secretPath)) {
      if (metadata.finalizers) await this.#strip(`${secretPath}/${metadata.name}`);
    }
    for (const { id } of await cloud.instances()) await cloud.delete(id);
    for (const { metadata } of await cluster.nodes()) {
      const path = nodePath(metadata.name);
      await cluster.target.patch(path, 'merge', { metadata: { finalizers: null } });
      await ignoreNotFound(cluster.target.delete(path));
    }
    await deleteChecks(workflows);
    await workflows.releaseClaims({ cluster: await cluster.uid(), install: this.#install });
    for (const id of await workflows.running()) await endRun(workflows, id);
    await cluster.delete(`/api/v1/namespaces/${this.namespace}`);
    await revokeRights(cluster.kube, this.namespace);
    await cluster.close();
    await workflows.close();
  }

  async #strip(path: string): Promise<void> {
    await this.cluster.kube.patch(path, 'merge', { metadata: { finalizers: null } });
  }
}

/** The list is a moment late: it still has runs that have just ended. */
async function endRun(workflows: WorkflowRecords, id: string): Promise<void> {
  try {
    await workflows.terminate(id);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

function withKeys<Given extends { flags?: readonly string[] | undefined }>(
  given: Given,
  payloadKeys: string,
): Given {
  return { ...given, flags: [...(given.flags ?? []), `--payload-keys=${payloadKeys}`] };
}

/** That of its operator. */
function dataConverterFor(file: string | undefined): DataConverter | undefined {
  if (file === undefined) return undefined;
  return dataConverterOf({ payloadKeys: readPayloadKeys(file) }).dataConverter;
}

/** What its operator is started with. */
export function placeOf(
  { control, target }: NonNullable<ScenarioOptions['clusters']>,
  clusterName: string | undefined,
  isInOne = false,
): Partial<OperatorOptions> {
  const accessOf = (user: User) => (): Access => ({
    kubeconfig: control.layout.kubeconfigOf(user),
    targetKubeconfig: target.layout.kubeconfigOf(user),
    virtualCloud: target.virtualCloud,
  });
  return {
    workerAccess: accessOf(isInOne ? 'millwright-controller' : 'millwright-worker'),
    watcherAccess: accessOf('millwright-watcher'),
    ...(clusterName !== undefined && { flags: [`--cluster-name=${clusterName}`] }),
  };
}

/**
 * Sets a scenario up before the tests of a file; after each of them the invariants are checked, and
 * at the end nothing is left.
 */
export function useScenario(name: string, options: ScenarioOptions = {}): Scenario {
  const scenario = new Scenario(name, options);
  beforeAll(() => scenario.start());
  afterEach(async () => {
    // A test that failed must not leave its faults to the next one.
    await scenario.cloud.clearFaults();
    await expectOneInstanceEach(scenario);
  });
  afterAll(() => scenario.end());
  return scenario;
}

function ownOperator(
  stack: ReturnType<typeof testStack>,
  options: Omit<OperatorOptions, 'isDoubled'> & { isDoubled?: boolean },
): Operator {
  // What goes through a relay is killed or cut off there.
  const mayBeDoubled = !options.workerAccess && !options.watcherAccess;
  const { isDoubled = mayBeDoubled && isNight() } = options;
  return new Operator(stack, { ...options, isDoubled });
}
