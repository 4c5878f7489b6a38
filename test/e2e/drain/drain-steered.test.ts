/** Pods with volumes, and what an operator can do about a drain. */
import { operatorRequests } from '../support/audit.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { Volumes } from '../support/volumes.ts';
import { Workloads } from '../support/workloads.ts';

describe('a drain', () => {
  const scenario = useScenario('steered', {
    workerFlags: ['--machine-pv-detach-timeout=10m', '--machine-pv-reattach-timeout=2s'],
  });
  const { cluster, namespace, workflows } = scenario;
  const workloads = new Workloads(scenario);
  const volumes = new Volumes(scenario);

  test('moves volumes one pod after another, says for which it waits, and can be told not to', async () => {
    const name = await createMachine(scenario, 'volumes');
    await untilPhase(scenario, name, 'Running');
    for (const claim of ['db-a', 'db-b']) {
      await volumes.attach(claim, name);
      await workloads.start({ app: claim, nodeName: name, claims: [claim] });
    }
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await eventually('the search says which volume blocks', async () => {
      const query = `State="DrainBlocked" and BlockedBy="Volume/${volumes.volumeOf('db-a')}"`;
      expect(await workflows.running(query)).toEqual([`machine/${namespace}/${name}`]);
    });
    const [second] = await workloads.podsOn(name, 'db-b');
    expect(second?.metadata.deletionTimestamp).toBeUndefined();
    const detachedAt = Date.now();
    await volumes.detach('db-a');
    await eventually('the second pod has left', async () =>
      expect(await workloads.podsOn(name, 'db-b')).toEqual([]),
    );
    // Reattachment is waited for 2 s; by itself the drain would look again only after 15 s.
    const evictions = { verb: 'create', resource: 'pods/eviction', start: 'db-b' } as const;
    const [eviction] = await operatorRequests(namespace, evictions);
    expect(eviction?.at).toBeLessThan(detachedAt + 10_000);
    expect(await scenario.cloud.instances()).toHaveLength(1);
    const handle = workflows.handleOf('machine', name);
    await handle.executeUpdate('skipVolumeWait', { args: [{ by: 'Ada' }] });
    await untilGone(scenario, path);
    for (const claim of ['db-a', 'db-b']) {
      await workloads.end(claim);
      await volumes.remove(claim);
    }
  });

  test('a drain that is tried at once asks its pods before their time; that is extended or skipped says so on the Machine', async () => {
    const name = await createMachine(scenario, 'commands');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'web', nodeName: name, claims: [] });
    await workloads.guard('web', { app: 'web', maxUnavailable: 0 });
    const path = cluster.pathOf('machines', name);
    const handle = workflows.handleOf('machine', name);
    const early = handle.executeUpdate('skipDrain', { args: [{}] });
    await expect(early).rejects.toMatchObject({
      cause: { message: 'the machine is not being drained: delete it first' },
    });
    await cluster.delete(path);
    await eventually('the drain is blocked', async () => {
      expect(await handle.query('drain')).toMatchObject({ isBlocked: true });
    });
    await eventually('its budget is misconfigured', async () => {
      const { drainNode } = await workflows.pendingFailures('machine', name);
      expect(drainNode).toContain('is misconfigured');
    });
    const evictions = { verb: 'create', resource: 'pods/eviction', start: 'web' } as const;
    const before = await operatorRequests(namespace, evictions);
    await handle.executeUpdate('retryNow', { args: [{}] });
    const again = await eventually('its pod was asked again', async () => {
      const next = (await operatorRequests(namespace, evictions))[before.length];
      expect(next).toBeDefined();
      return next?.at ?? 0;
    });
    // By itself it asks such a pod after a minute at the earliest.
    expect(again).toBeLessThan((before.at(-1)?.at ?? 0) + 60_000);
    await volumes.attach('kept', name);
    const said = await handle.executeUpdate('extendDrain', { args: [{ minutes: 30 }] });
    expect(said).toMatch(/^Drain extended until /);
    const { metadata } = await cluster.machine(name);
    expect(`Drain extended until ${metadata.annotations?.['millwright.dev/drain-until']}`).toBe(
      said,
    );
    await handle.executeUpdate('skipDrain', { args: [{ by: 'Ada' }] });
    await untilGone(scenario, path);
    expect(await volumes.isAttached('kept')).toBe(false);
    await cluster.delete(workloads.budgets('web'));
    await workloads.end('web');
    await volumes.remove('kept');
  });

  test('follows annotations that are set in the middle, as it does commands', async () => {
    const name = await createMachine(scenario, 'annotated');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'noted', nodeName: name });
    await workloads.guard('noted', { app: 'noted', maxUnavailable: 0 });
    const path = cluster.pathOf('machines', name);
    const handle = workflows.handleOf('machine', name);
    const annotate = async (annotations: Record<string, string | null>): Promise<void> => {
      await cluster.patch('machines', name, { metadata: { annotations } });
    };
    const deadline = async (): Promise<string> => {
      const drain = await handle.query<{ deadline: number }>('drain');
      return new Date(drain.deadline).toISOString();
    };
    /** Drains that were begun so far. */
    const drains = async (): Promise<number> => {
      const { events } = await handle.fetchHistory();
      return (events ?? []).filter(({ activityTaskScheduledEventAttributes: scheduled }) => {
        return scheduled?.activityType?.name === 'drainNode';
      }).length;
    };
    await cluster.delete(path);
    await eventually('the drain is blocked', async () => {
      expect(await handle.query('drain')).toMatchObject({ isBlocked: true });
    });
    const before = await deadline();
    await annotate({ 'millwright.dev/drain-until': '2040-01-01T00:00:00Z' });
    await eventually('the deadline is another', async () =>
      expect(await deadline()).toBe('2040-01-01T00:00:00.000Z'),
    );
    await annotate({ 'millwright.dev/drain-until': null });
    await eventually('the deadline is the old one', async () => {
      expect(await deadline()).toBe(before);
      expect(await drains()).toBe(3);
    });
    await handle.executeUpdate('extendDrain', { args: [{ minutes: 30 }] });
    await handle.executeUpdate('skipVolumeWait', { args: [{}] });
    // What the commands wrote has been seen when something later has.
    await annotate({ 'millwright.dev/drain-until': '2041-01-01T00:00:00Z' });
    await eventually('the deadline is the last one', async () => {
      expect(await deadline()).toBe('2041-01-01T00:00:00.000Z');
      expect(await drains()).toBe(6);
    });
    await annotate({ 'millwright.dev/skip-drain': 'true' });
    await eventually('the drain is over', async () => {
      expect(await handle.query('drain')).toBeUndefined();
    });
    await untilGone(scenario, path);
    await cluster.delete(workloads.budgets('noted'));
    await workloads.end('noted');
  });
});
