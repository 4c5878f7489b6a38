/**
 * Pods on the Node of a machine that goes: they are asked to leave, and their PodDisruptionBudget
 * is respected.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

interface Pod extends KubeObject {
  spec?: { nodeName?: string };
  status?: { phase?: string };
}

/** One pod on this Node, of a Deployment or on it alone of a DaemonSet. */
function workload(kind: string, app: string, nodeName: string): object {
  const spec = {
    nodeSelector: { 'kubernetes.io/hostname': nodeName },
    containers: [{ name: 'app', image: 'nothing' }],
  };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: app },
    spec: {
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec },
    },
  };
}

describe('the deletion of a machine', () => {
  const scenario = useScenario('drain');
  const { cluster, namespace, workflows } = scenario;

  const apps = (kind: string, name = ''): string =>
    `/apis/apps/v1/namespaces/${namespace}/${kind}${name === '' ? '' : `/${name}`}`;
  const budgets = (name = ''): string =>
    `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets${name === '' ? '' : `/${name}`}`;

  /** Pods of one app that are Running on a Node. */
  async function podsOn(nodeName: string, app: string): Promise<Pod[]> {
    const query = { labelSelector: `app=${app}`, fieldSelector: `spec.nodeName=${nodeName}` };
    return await cluster.list<Pod>(namespaced('pods', namespace), query);
  }

  async function untilPodRuns(nodeName: string, app: string): Promise<Pod> {
    return await eventually(`a pod of ${app} runs on ${nodeName}`, async () => {
      const [pod] = await podsOn(nodeName, app);
      if (pod?.status?.phase !== 'Running') throw new Error(`phase: ${pod?.status?.phase}`);
      return pod;
    });
  }

  test('evicts pods, and leaves those of DaemonSets until the Node goes', async () => {
    const name = await createMachine(scenario, 'busy');
    await untilPhase(scenario, name, 'Running');
    await cluster.kube.create(apps('deployments'), workload('Deployment', 'web', name));
    await cluster.kube.create(apps('daemonsets'), workload('DaemonSet', 'agent', name));
    const web = await untilPodRuns(name, 'web');
    const agent = await untilPodRuns(name, 'agent');
    // Without its VM nothing runs there, so the VM must be there until the pod has left.
    await scenario.cloud.addFault({ operation: 'delete', kind: 'error', code: 'Internal' });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await eventually('the pod is evicted', async () => {
      const [left] = await podsOn(name, 'web');
      expect(left?.metadata.uid).not.toBe(web.metadata.uid);
    });
    await eventually('the deletion of the VM was tried', async () => {
      expect(await scenario.cloud.count('delete', 'Internal')).toBeGreaterThan(0);
    });
    const node = await cluster.kube.get<{ spec: object }>(`/api/v1/nodes/${name}`);
    expect(node.spec).toMatchObject({ unschedulable: true });
    const [still] = await podsOn(name, 'agent');
    expect(still?.metadata).toMatchObject({ uid: agent.metadata.uid });
    expect(still?.metadata.deletionTimestamp).toBeUndefined();
    await scenario.cloud.clearFaults();
    await untilGone(scenario, path);
    await cluster.delete(apps('deployments', 'web'));
    await cluster.delete(apps('daemonsets', 'agent'));
  });

  test('waits for a PodDisruptionBudget, says for which, and goes on when it allows', async () => {
    const name = await createMachine(scenario, 'guarded');
    await untilPhase(scenario, name, 'Running');
    await cluster.kube.create(apps('deployments'), workload('Deployment', 'db', name));
    await cluster.kube.create(budgets(), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'db' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
    });
    const pod = await untilPodRuns(name, 'db');
    await eventually('the budget counts its pod', async () => {
      const { status } = await cluster.kube.get<{ status?: object }>(budgets('db'));
      expect(status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await eventually('the pending activity says what is in the way', async () => {
      const failures = await workflows.pendingFailures('machine', name);
      expect(failures['drainNode']).toContain(`${namespace}/${pod.metadata.name}`);
      expect(failures['drainNode']).toContain(`PodDisruptionBudget ${namespace}/db`);
    });
    const { status } = await cluster.machine(name);
    expect(status?.currentStatus?.phase).toBe('Terminating');
    expect(await podsOn(name, 'db')).toHaveLength(1);
    expect(await scenario.cloud.instances()).toHaveLength(1);
    await eventually('its page says that it drains', async () => {
      expect((await workflows.pageOf('machine', name)).details).toContain('drain');
    });
    await cluster.delete(budgets('db'));
    await untilGone(scenario, path);
    await cluster.delete(apps('deployments', 'db'));
  });

  test('is forced by the label force-deletion', async () => {
    const name = await createMachine(scenario, 'forced');
    await untilPhase(scenario, name, 'Running');
    await cluster.kube.create(apps('deployments'), workload('Deployment', 'cache', name));
    await cluster.kube.create(budgets(), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'cache' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'cache' } } },
    });
    await untilPodRuns(name, 'cache');
    await cluster.patch('machines', name, { metadata: { labels: { 'force-deletion': 'True' } } });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await untilGone(scenario, path);
    expect(await scenario.cloud.instances()).toEqual([]);
    await cluster.delete(budgets('cache'));
    await cluster.delete(apps('deployments', 'cache'));
  });
});
