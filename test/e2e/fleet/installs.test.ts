/** Installs and control clusters that share one Temporal namespace, with default flags. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { repository } from '../../../deploy/local/layout.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { WorkflowInput } from '../../../workflows/contracts/references.ts';
import { taskQueueOf } from '../../../workflows/contracts/task-queues.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { runCheck, untilScheduled } from '../support/checks.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilGone, untilPhase } from '../support/machines.ts';
import { className, classManifest, secretManifest, secretName } from '../support/manifests.ts';
import { Operator } from '../support/operator.ts';
import { createNamespace } from '../support/rights.ts';
import { placeOf, type Scenario, useScenario } from '../support/scenario.ts';
import { startSecondStack, stopSecondStack } from '../support/second-stack.ts';
import { testStack } from '../support/test-stack.ts';
import { VirtualCloud } from '../support/virtual-cloud.ts';

const shared = testStack();
const second = await startSecondStack('second');
// Registered first, so it runs last.
afterAll(() => stopSecondStack('second'));

const budgetsPath = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

/**
 * A pod on the Node of a machine, in the cluster of its Nodes, that may not be evicted until the
 * budget goes.
 */
async function startGuardedPod({ cluster: { target } }: Scenario, node: string): Promise<string> {
  const labels = { app: node };
  await target.create(budgetsPath, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: node },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  });
  await target.create(namespaced('pods', 'default'), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: node, labels },
    spec: { nodeName: node, containers: [{ name: 'app', image: 'nothing' }] },
  });
  const path = namespaced('pods', 'default', node);
  await eventually(`the pod on ${node} runs`, async () => {
    const { status } = await target.get<KubeObject & { status?: { phase: string } }>(path);
    expect(status?.phase).toBe('Running');
  });
  return path;
}

async function untilDrainIsBlocked({ cluster }: Scenario, name: string): Promise<void> {
  await eventually(`the budget of ${name} blocks its drain`, async () => {
    const { status } = await cluster.machine(name);
    expect(status?.lastOperation?.description).toContain(`1 pod left: default/${name}: `);
  });
}

interface Ended {
  exitCode: number | null;
  output: string;
}

/**
 * A watcher or worker of a namespace in the second control cluster, without a cluster name, until
 * it ends.
 */
async function runToItsEnd(program: 'watcher' | 'worker'): Promise<Ended> {
  const kubeconfig = second.layout.kubeconfigOf(`millwright-${program}`);
  const entrance = join(repository, 'workers', `${program}.ts`);
  const where = [`--control-kubeconfig=${kubeconfig}`, `--target-kubeconfig=${kubeconfig}`];
  const flags = [...where, '--namespace=default', '--port=0', '--log-format=json'];
  const env = { ...process.env, NODE_OPTIONS: '', TEMPORAL_ADDRESS: shared.temporalAddress };
  return await new Promise((resolve) => {
    const options = { env };
    const child = execFile(process.execPath, [entrance, ...flags], options, (_error, out, err) =>
      resolve({ exitCode: child.exitCode, output: `${out}${err}` }),
    );
  });
}

describe('installs on one Temporal namespace', () => {
  const here = useScenario('here');
  const there = useScenario('there', { clusters: { control: shared, target: second } });

  test('each drain and delete machines in their own target cluster, and touch no others', async () => {
    const both = [here, there];
    const names = await Promise.all(
      both.map(async (scenario) => {
        const created = ['a', 'b'].map((name) => createMachine(scenario, name));
        return await Promise.all(created);
      }),
    );
    const machines = both.flatMap((scenario, index) =>
      (names[index] ?? []).map((name) => ({ scenario, name })),
    );
    const joined = await Promise.all(
      machines.map(({ scenario, name }) => untilPhase(scenario, name, 'Running')),
    );
    const [ours, others] = [await here.cluster.uid(), await uidOfTarget()];
    const targets = joined.map(({ metadata }) => metadata.annotations?.[annotations.targetCluster]);
    expect(targets).toEqual([ours, ours, others, others]);
    const pods = await Promise.all(
      machines.map(({ scenario, name }) => startGuardedPod(scenario, name)),
    );
    for (const { scenario, name } of machines) {
      await scenario.cluster.delete(scenario.cluster.pathOf('machines', name));
    }
    // A worker that looked for the Node in the other target cluster would take it as drained.
    for (const { scenario, name } of machines) await untilDrainIsBlocked(scenario, name);
    for (const scenario of both) expect(await scenario.cloud.deletions()).toEqual([]);
    for (const [index, { scenario, name }] of machines.entries()) {
      expect(await scenario.cluster.target.get(pods[index] ?? '')).toBeDefined();
      await scenario.cluster.target.delete(`${budgetsPath}/${name}`);
    }
    for (const { scenario, name } of machines) {
      await untilGone(scenario, scenario.cluster.pathOf('machines', name));
    }
    const strays = [
      new VirtualCloud(second.virtualCloud, here.namespace),
      new VirtualCloud(shared.virtualCloud, there.namespace),
    ];
    for (const cloud of strays) expect((await cloud.calls()).createsPerName).toEqual({});
    for (const cloud of strays) expect(await cloud.happenings()).toEqual([]);
  });

  test.each(['watcher', 'worker'] as const)(
    'a %s of a second control cluster without a name of its own does not start, and says what to set',
    async (program) => {
      const { exitCode, output } = await runToItsEnd(program);
      expect({ exitCode, output }).toMatchObject({ exitCode: 1 });
      const [mine, holder] = [await uidOfTarget(), await here.cluster.uid()];
      expect(output).toContain(
        `The ids <kind>/<namespace>/<name> of workflows, for control cluster ${mine}: already claimed by ${holder}. Give all processes of this control cluster another --cluster-name, or another Temporal namespace.`,
      );
    },
  );

  const uidOfTarget = async (): Promise<string> => {
    const path = '/api/v1/namespaces/kube-system';
    return (await there.cluster.target.get<KubeObject>(path)).metadata.uid;
  };
});

describe('a second control cluster with a name of its own', () => {
  const clusterName = `seed-${randomBytes(2).toString('hex')}`;
  const seed = useScenario('seed', {
    clusters: { control: second, target: second },
    clusterName,
    // Of the runs that it leaves behind.
    causes: [/^\w+\/seed-[^:]*: TERMINATED$/],
  });
  const { namespace, workflows } = seed;
  const idOf = (name: string): string => `machine/${clusterName}/${namespace}/${name}`;

  test('works beside the first, and its ids begin with its name', async () => {
    const name = await createMachine(seed, 'a');
    await untilPhase(seed, name, 'Running');
    await eventually('the search finds it by the id of its cluster', async () => {
      expect(await workflows.running('WorkflowType="machine"')).toEqual([idOf(name)]);
    });
    await deleteMachine(seed, name);
  });

  test('a second control cluster with a name of its own that gives a namespace away blocks nothing there: its runs end, and the machines are attended', async () => {
    const name = await createMachine(seed, 'moved');
    const machine = await untilPhase(seed, name, 'Running');
    // It would start lost workflows, minutes later.
    await untilScheduled(workflows, 'lost-workflows');
    await workflows.scheduleOf('lost-workflows').pause();
    await seed.operator.stop();
    const old = await clusterOf(idOf(name));
    if (old === undefined) throw new Error('no run attends the machine');
    expect(old).toBe(await seed.cluster.uid());
    await giveAway();
    const next = new Cluster(namespace, shared.layout.kubeconfig, second.layout.kubeconfig);
    const access = placeOf({ control: shared, target: second }, clusterName);
    const flags = [...(access.flags ?? []), `--take-over=${old}`];
    const operator = new Operator(shared, { namespace, isDoubled: false, ...access, flags });
    try {
      await restore(next, machine);
      const { runId } = await workflows.handleOf('machine', name).describe();
      operator.start();
      await eventually('a run has a signal of the new watcher', async () => {
        await beginAs(old, name);
        const current = await workflows.handleOf('machine', name).describe();
        const { events } = await workflows.handleOf('machine', name).fetchHistory();
        const isNext = current.runId !== runId;
        return (
          isNext && (events ?? []).some((event) => event.workflowExecutionSignaledEventAttributes)
        );
      });
      await eventually('a run of the new control cluster attends the machine', async () => {
        expect(await clusterOf(idOf(name))).toBe(await next.uid());
      });
      // Lists of runs are a moment later than the runs.
      await eventually('the runs before are ended', async () => {
        const runs = await workflows.list(`WorkflowId="${idOf(name)}"`);
        const [last, ...before] = runs.map(({ status }) => status.name).toSorted();
        expect(last).toBe('RUNNING');
        expect(new Set(before)).toEqual(new Set(['TERMINATED']));
      });
      // Until then a run would be for the worker before.
      await eventually('the check is that of the new control cluster', async () => {
        const { action } = await workflows.scheduleOf('lost-workflows').describe();
        expect(action.taskQueue).toBe(taskQueueOf({ cluster: await next.uid(), name: namespace }));
      });
      await workflows.scheduleOf('lost-workflows').unpause();
      const check = await runCheck(workflows, 'lost-workflows');
      expect(await check.result()).toMatchObject({ objects: 1, running: 1, failed: 0 });
      await next.delete(next.pathOf('machines', name));
      await untilGone({ cluster: next }, next.pathOf('machines', name));
      expect((await seed.cloud.deletions()).filter((one) => one.name === name)).toHaveLength(1);
      await next.delete(next.pathOf('machineclasses'));
      await eventually('the class is gone', async () => {
        expect(await next.list(next.pathOf('machineclasses'))).toEqual([]);
      });
    } finally {
      await operator.stop();
      await workflows.releaseClaims({ cluster: await next.uid(), install: namespace });
      await next.delete(`/api/v1/namespaces/${namespace}`);
      await next.close();
    }
    expect(operator.faults).toEqual([]);
  });

  async function clusterOf(workflowId: string): Promise<string | undefined> {
    const { status, typedSearchAttributes } = await workflows.runOf(workflowId).describe();
    return status.name === 'RUNNING' ? typedSearchAttributes.get(keys.KubeCluster) : undefined;
  }

  /** As the watcher before does for a minute, until it has read that its claims are gone. */
  async function beginAs(cluster: string, name: string): Promise<void> {
    const typedSearchAttributes = [
      { key: keys.KubeCluster, value: cluster },
      { key: keys.KubeNamespace, value: namespace },
    ];
    const input: WorkflowInput = { ref: { namespace, name }, cluster };
    const options = {
      workflowId: idOf(name),
      taskQueue: taskQueueOf({ cluster, name: namespace }),
      args: [input],
      typedSearchAttributes,
    };
    await workflows.start('machine', options).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }

  /**
   * As Gardener's control-plane migration: finalizers go, then the objects, while nothing looks at
   * them.
   */
  async function giveAway(): Promise<void> {
    const { cluster } = seed;
    const secrets = namespaced('secrets', namespace);
    for (const path of [cluster.pathOf('machines'), cluster.pathOf('machineclasses'), secrets]) {
      for (const { metadata } of await cluster.list<KubeObject>(path)) {
        const one = `${path}/${metadata.name}`;
        await cluster.kube.patch(one, 'merge', { metadata: { finalizers: null } });
        await cluster.delete(one);
      }
    }
  }

  /** As Gardener restores a Machine in the next control cluster. */
  async function restore(next: Cluster, { metadata, spec, status }: Machine): Promise<void> {
    await createNamespace(next.kube, namespace);
    const secret = secretManifest({ namespace, name: secretName });
    await next.kube.create(namespaced('secrets', namespace), secret);
    await next.create('machineclasses', classManifest({ namespace, name: className }));
    const { name, labels, annotations: notes } = metadata;
    const meta = { name, namespace, labels, annotations: notes };
    const object = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
    await next.create('machines', { ...object, metadata: meta, spec });
    await next.kube.patch(`${next.pathOf('machines', name)}/status`, 'merge', { status });
  }
});
