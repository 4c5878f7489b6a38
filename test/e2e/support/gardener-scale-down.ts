/** Scaling down by names: what every age of Gardener's cluster autoscaler relies on. */
import { annotations } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { GardenerAutoscaler, type ListStyle } from './gardener-autoscaler.ts';
import { machinesOf } from './machines.ts';
import { className } from './manifests.ts';
import type { Rollout, Rollouts } from './rollout-under-test.ts';
import { Workloads } from './workloads.ts';

/** Of the Nodes of all pools. */
export const tolerates = 'dedicated';

export const autoscalerOf = ({ scenario, name }: Rollout, style?: ListStyle): GardenerAutoscaler =>
  new GardenerAutoscaler(scenario, name, style);

/** Those that a scale-down would take last, so that only a mark takes them. */
export async function youngest({ scenario, name }: Rollout, count: number): Promise<string[]> {
  const machines = await machinesOf(scenario, name);
  const keyOf = ({ metadata }: (typeof machines)[number]): string =>
    `${metadata.creationTimestamp} ${metadata.name}`;
  const order = machines.toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  return order.slice(0, count).map(({ metadata }) => metadata.name);
}

export const without = (names: readonly string[], gone: readonly string[]): string[] =>
  names.filter((name) => !gone.includes(name)).toSorted();

/** No machine was ever made beside those with which the test began. */
export function expectNoReplacement({ recorder, firstMachines }: Rollout, made = 0): void {
  expect(recorder.machineNames.size).toBe(firstMachines.length + made);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

/** `style`: how the autoscaler writes its list. */
export function describeScaleDown(rollouts: Rollouts, style: ListStyle): void {
  const { cluster, workflows, namespace } = rollouts.scenario;
  const workloads = new Workloads(rollouts.scenario);

  describe(`scaling down with a list of ${style}`, () => {
    // Before the machines: a test that failed must not leave what blocks their drains.
    afterEach(() => cluster.delete(workloads.budgets()));

    test('takes exactly the named machines, however often it is asked', async () => {
      const rollout = await rollouts.begin({ replicas: 5 });
      const autoscaler = autoscalerOf(rollout, style);
      const chosen = await youngest(rollout, 2);
      autoscaler.meanwhile = () => rollout.annotate({ 'example.com/touched': 'yes' });
      await autoscaler.deleteNodes(chosen);
      expect(autoscaler.conflicts).toBe(1);
      // What it named already is not counted once more.
      const answer = await autoscaler.deleteNodes(chosen).then(() => 'done', messageOf);
      expect(answer).toMatch(/^done$|ErrNoNodesToDelete|NotFound|under rolling update/);
      const left = await rollout.expectEnd({ class: className, replicas: 3 });
      expect(left).toEqual(without(rollout.firstMachines, chosen));
      expectNoReplacement(rollout);
      await eventually('nothing is named any more', async () => {
        const { metadata } = await rollout.deployment();
        expect(metadata.annotations).not.toHaveProperty([annotations.triggerDeletion]);
      });
    });

    test('loses the named one when somebody else scales in the same second', async () => {
      const rollout = await rollouts.begin({ replicas: 4 });
      const autoscaler = autoscalerOf(rollout, style);
      const [chosen = ''] = await youngest(rollout, 1);
      const other = autoscaler.deleteNodes([chosen]).then(() => cluster.scale(rollout.name, 2));
      await other;
      const left = await rollout.expectEnd({ class: className, replicas: 2 });
      expect(left).not.toContain(chosen);
      expectNoReplacement(rollout);
    });

    test('makes no machine in place of one whose drain is blocked, but for a changed mind', async () => {
      const rollout = await rollouts.begin({ replicas: 3 });
      const autoscaler = autoscalerOf(rollout, style);
      const [chosen = ''] = await youngest(rollout, 1);
      await workloads.start({ app: `keep-${style}`, nodeName: chosen, tolerates });
      await workloads.guard(`keep-${style}`, { app: `keep-${style}`, minAvailable: 1 });
      await autoscaler.deleteNodes([chosen]);
      await eventually('its Node is cordoned, and its drain is blocked', async () => {
        const node = (await cluster.nodes()).find(({ metadata }) => metadata.name === chosen);
        expect(node?.spec?.unschedulable).toBe(true);
        const found = await workflows.running('State="DrainBlocked"');
        expect(found).toContain(`machine/${namespace}/${chosen}`);
      });
      await rollout.recorder.markWhen('two machines are left', ({ active }) => active === 2);
      expectNoReplacement(rollout);
      // It changes its mind: a pod is pending again.
      await autoscaler.increaseSize(1);
      await rollout.recorder.markWhen('another came', ({ available }) => available === 3);
      expectNoReplacement(rollout, 1);
      await cluster.delete(workloads.budgets(`keep-${style}`));
      await workloads.end(`keep-${style}`);
      const left = await rollout.expectEnd({ class: className, replicas: 3 });
      expect(left).not.toContain(chosen);
      expectNoReplacement(rollout, 1);
    });
  });
}
