/**
 * Drains that end by force, asked for in the middle, before, or by the clock; and one whose clock
 * is set back.
 */
import type { WorkflowHandle } from '@temporalio/client';
import { drainOptions, labels } from '../../../workflows/api/constants.ts';
import type { MachineSpec } from '../../../workflows/api/machine.ts';
import { evictedPods, operatorRequests } from '../support/audit.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { Volumes } from '../support/volumes.ts';
import { Workloads } from '../support/workloads.ts';

/** Only a deletion without a grace period takes such a pod away. */
const neverTerminates = { 'local.millwright.dev/never-terminates': 'true' };

const wish = { by: 'Ada' };
const forms = [
  {
    form: 'update',
    ask: (handle: WorkflowHandle) => handle.executeUpdate('forceDelete', { args: [wish] }),
    answer: 'Deletion by force',
  },
  {
    form: 'signal',
    ask: (handle: WorkflowHandle) => handle.signal('forceDelete', wish),
    answer: undefined,
  },
];

describe('a drain by force', () => {
  const scenario = useScenario('forced');
  const { cluster, cloud, namespace, workflows } = scenario;
  const workloads = new Workloads(scenario);
  const volumes = new Volumes(scenario);
  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  /**
   * A machine with a pod that its budget keeps and that would not end by itself, and a volume of
   * that pod.
   */
  async function occupied(short: string, spec: MachineSpec = {}): Promise<string> {
    const name = await createMachine(scenario, short, spec);
    await untilPhase(scenario, name, 'Running');
    await volumes.attach(short, name);
    await workloads.start({ app: short, nodeName: name, annotations: neverTerminates });
    await workloads.guard(short, { app: short, maxUnavailable: 0 });
    return name;
  }

  async function clear(short: string): Promise<void> {
    await cluster.delete(workloads.budgets(short));
    await workloads.end(short);
    await volumes.remove(short);
  }

  async function untilBlocked(name: string): Promise<void> {
    await eventually(`the drain of ${name} is blocked`, async () => {
      const drain = await workflows.handleOf('machine', name).query('drain');
      expect(drain).toMatchObject({ isBlocked: true });
    });
  }

  const deletionsOf = (start: string) =>
    operatorRequests(namespace, { verb: 'delete', resource: 'pods', start });

  test.each(forms)(
    'asked for in the middle by $form: pods go at once, volumes when the VM is gone',
    async ({ form, ask, answer }) => {
      const short = `by-${form}`;
      const name = await occupied(short);
      const triedBefore = await cloud.count('delete', 'Internal');
      await cloud.addFault({ operation: 'delete', kind: 'error', match: name });
      await cluster.delete(pathOf(name));
      await untilBlocked(name);
      expect(await ask(workflows.handleOf('machine', name))).toBe(answer);
      await eventually('the pod is gone', async () => {
        expect(await workloads.podsOn(name, short)).toEqual([]);
      });
      const { metadata } = await cluster.machine(name);
      expect(metadata.labels?.[labels.forceDeletion]).toBe('True');
      const asked = { reason: 'ForceDeletion', message: expect.stringContaining('by "Ada"') };
      await untilEvent(scenario, { kind: 'Machine', name }, asked);
      await eventually('the deletion of the VM was tried', async () => {
        expect(await cloud.count('delete', 'Internal')).toBeGreaterThan(triedBefore);
      });
      expect(await volumes.isAttached(short)).toBe(true);
      await cloud.clearFaults();
      await untilGone(scenario, pathOf(name));
      expect(await volumes.isAttached(short)).toBe(false);
      expect(await evictedPods(namespace, short)).toEqual([]);
      await clear(short);
    },
  );

  test('by the clock comes when it is extended to, not before', async () => {
    const name = await occupied('extended', { drainTimeout: '40s' });
    await cluster.delete(pathOf(name));
    await untilBlocked(name);
    const handle = workflows.handleOf('machine', name);
    const first = await handle.query<{ deadline: number }>('drain');
    // At once, as the first deadline does not wait for a busy machine. A drain that keeps to it
    // forces the pod within a second or two.
    await handle.executeUpdate('extendDrain', { args: [{ minutes: 0.2 }] });
    for (const minutes of [0, -5, 'many']) {
      const update = handle.executeUpdate('extendDrain', { args: [{ minutes }] });
      await expect(update).rejects.toMatchObject({
        cause: { message: expect.stringContaining(`minutes: ${JSON.stringify(minutes)}: must be`) },
      });
    }
    const second = await handle.query<{ deadline: number }>('drain');
    expect(second.deadline).toBe(first.deadline + 12_000);
    await untilGone(scenario, pathOf(name));
    const [deletion] = await deletionsOf('extended');
    expect(deletion?.at).toBeGreaterThanOrEqual(second.deadline);
    await clear('extended');
  });

  test('is not needed where the Machine says beforehand that nothing is drained', async () => {
    const name = await occupied('skipped');
    const annotations = { [drainOptions.skip]: 'true' };
    await cluster.patch('machines', name, { metadata: { annotations } });
    await cluster.delete(pathOf(name));
    await untilGone(scenario, pathOf(name));
    expect(await evictedPods(namespace, 'skipped')).toEqual([]);
    expect(await deletionsOf('skipped')).toEqual([]);
    expect(await volumes.isAttached('skipped')).toBe(false);
    await clear('skipped');
  });
});
