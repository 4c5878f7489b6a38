/**
 * Hooks hold a drain and the deletion of an instance for as long as they stand, whatever dies
 * meanwhile. The cloud is the judge: no instance of a hook goes.
 */
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { untilExplained } from '../support/runbook-findings.ts';
import { Runbook } from '../support/runbook.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

const ofDrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic';
const ofInstance = 'suspend-instance-deletion.node.machine.sapcloud.io/etcd';

describe('a hook', () => {
  const scenario = useScenario('hooks', { isDoubled: false });
  const { cluster, cloud, namespace, operator, workflows } = scenario;
  const workloads = new Workloads(scenario);

  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  async function annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
    await cluster.patch('machines', name, { metadata: { annotations } });
  }

  /** A machine that runs, with these hooks. */
  async function hooked(short: string, annotations: Record<string, string>): Promise<string> {
    const name = await createMachine(scenario, short);
    await untilPhase(scenario, name, 'Running');
    await annotate(name, annotations);
    return name;
  }

  async function conditionsOf(name: string): Promise<Record<string, string>> {
    const { status } = await cluster.machine(name);
    const conditions = status?.conditions ?? [];
    return Object.fromEntries(conditions.map(({ type, status: is }) => [type, is]));
  }

  async function untilHeld(name: string, condition: string, purpose: string): Promise<void> {
    await eventually(`${name} says ${condition}`, async () => {
      expect(await conditionsOf(name)).toMatchObject({ [condition]: 'True' });
    });
    await eventually(`the search says that ${purpose} holds ${name}`, async () => {
      const query = `Attention="external" and BlockedBy="Hook/${purpose}"`;
      expect(await workflows.running(query)).toContain(`machine/${namespace}/${name}`);
    });
  }

  async function living(): Promise<string[]> {
    const instances = await cloud.instances();
    return instances.filter(({ state }) => state !== 'deleted').map((instance) => instance.name);
  }

  async function isCordoned(name: string): Promise<boolean> {
    const nodes = await cluster.nodes();
    const node = nodes.find(({ metadata }) => metadata.name === name);
    return node?.spec?.unschedulable === true;
  }

  test('before the drain, then before the instance, with kills of worker and watcher', async () => {
    const name = await hooked('both', { [ofDrain]: 'mesh', [ofInstance]: 'etcd-druid' });
    await workloads.start({ app: 'web', nodeName: name });
    await cluster.delete(pathOf(name));
    await untilHeld(name, 'DrainSuspended', 'traffic');
    expect(await isCordoned(name)).toBe(false);
    await operator.kill9('worker');
    await operator.kill9('watcher');
    await untilHeld(name, 'DrainSuspended', 'traffic');
    expect(await isCordoned(name)).toBe(false);

    await annotate(name, { [ofDrain]: null });
    await untilHeld(name, 'InstanceDeletionSuspended', 'etcd');
    expect(await isCordoned(name)).toBe(true);
    expect(await conditionsOf(name)).toMatchObject({ DrainSuspended: 'False' });
    expect((await cluster.machine(name)).status?.currentStatus?.phase).toBe('Terminating');
    await operator.kill9('worker');
    expect(await living()).toContain(name);

    await annotate(name, { [ofInstance]: null });
    await untilGone(scenario, pathOf(name));
    await workloads.end('web');
  });

  test('of a machine whose workflow Temporal has forgotten holds, and its end is heard', async () => {
    const name = await hooked('forgotten', { [ofInstance]: 'etcd-druid' });
    await cluster.delete(pathOf(name));
    await untilHeld(name, 'InstanceDeletionSuspended', 'etcd');
    const id = `machine/${namespace}/${name}`;
    await operator.retire('worker');
    await eventually('nothing is left of its workflow', async () => {
      const left = (await workflows.list()).filter(({ workflowId }) => workflowId === id);
      for (const run of left) await workflows.forget(run);
      expect(left).toEqual([]);
    });
    operator.startAgain('worker');
    // A change wakes a new run, which knows nothing: it waits as well.
    await annotate(name, { [ofInstance]: 'somebody else' });
    await untilHeld(name, 'InstanceDeletionSuspended', 'etcd');
    expect(await living()).toContain(name);
    await annotate(name, { [ofInstance]: null });
    await untilGone(scenario, pathOf(name));
  });

  test('one of two that goes leaves the other, and force passes neither', async () => {
    const second = ofInstance.replace('/etcd', '/inventory');
    const name = await hooked('two', { [ofInstance]: 'etcd-druid', [second]: 'cmdb' });
    await cluster.patch('machines', name, { metadata: { labels: { 'force-deletion': 'True' } } });
    await cluster.delete(pathOf(name));
    await untilHeld(name, 'InstanceDeletionSuspended', 'etcd');
    await annotate(name, { [ofInstance]: null });
    await untilHeld(name, 'InstanceDeletionSuspended', 'inventory');
    expect(await living()).toContain(name);
    await annotate(name, { [second]: null });
    await untilGone(scenario, pathOf(name));
  });

  test('that has stood for long is found and passed by its runbook', async () => {
    const name = await hooked('late', { [ofInstance]: 'etcd-druid' });
    await cluster.delete(pathOf(name));
    await untilHeld(name, 'InstanceDeletionSuspended', 'etcd');
    const { status } = await cluster.machine(name);
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    const conditions = status?.conditions?.map((condition) =>
      condition.type === 'InstanceDeletionSuspended'
        ? { ...condition, lastTransitionTime: anHourAgo }
        : condition,
    );
    await cluster.kube.patch(`${pathOf(name)}/status`, 'merge', { status: { conditions } });
    const page = await Runbook.of(scenario, 'hook-waits', { MACHINE: name, HOOK: ofInstance });
    await untilExplained(page, {
      trouble: 'hook-waits',
      object: `machine/${name}`,
      cause: 'waits for etcd (etcd-druid)',
      way: `annotate machine ${name} '${ofInstance}-'`,
    });
    expect(await page.run('Look')).toContain('etcd-druid');
    await page.run('Remove the hook in its place');
    await untilGone(scenario, pathOf(name));
  });
});
