/** Pods with volumes, and what an operator can do about a drain. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.ts';
import { createMachine, untilGone, untilPhase } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';
import { Volumes } from './support/volumes.ts';
import { Workloads } from './support/workloads.ts';

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
      const query = `MachinePhase="DrainBlocked" and BlockedBy="Volume/${volumes.volumeOf('db-a')}"`;
      expect(await workflows.running(query)).toEqual([`machine/${namespace}/${name}`]);
    });
    const [second] = await workloads.podsOn(name, 'db-b');
    expect(second?.metadata.deletionTimestamp).toBeUndefined();
    await volumes.detach('db-a');
    await eventually('the second pod has left', async () => {
      expect(await workloads.podsOn(name, 'db-b')).toEqual([]);
    });
    expect(await scenario.cloud.instances()).toHaveLength(1);
    const handle = workflows.handleOf('machine', name);
    await handle.executeUpdate('skipVolumeWait', { args: [{ by: 'Ada' }] });
    await untilGone(scenario, path);
    for (const claim of ['db-a', 'db-b']) {
      await workloads.end(claim);
      await volumes.remove(claim);
    }
  });

  test('that is extended, tried at once and skipped says so on the Machine', async () => {
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
    await volumes.attach('kept', name);
    const said = await handle.executeUpdate('extendDrain', { args: [{ minutes: 30 }] });
    expect(said).toMatch(/^Drain extended until /);
    const { metadata } = await cluster.machine(name);
    expect(`Drain extended until ${metadata.annotations?.['millwright.dev/drain-until']}`).toBe(
      said,
    );
    await handle.executeUpdate('retryNow', { args: [{}] });
    expect(await handle.query('drain')).toMatchObject({ isBlocked: true });
    await handle.executeUpdate('skipDrain', { args: [{ by: 'Ada' }] });
    await untilGone(scenario, path);
    expect(await volumes.isAttached('kept')).toBe(false);
    await cluster.delete(workloads.budgets('web'));
    await workloads.end('web');
    await volumes.remove('kept');
  });
});
