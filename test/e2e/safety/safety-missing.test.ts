/**
 * Instances that somebody else deletes in the cloud: their machines are replaced, when the cloud
 * says so and the Node does not say otherwise.
 */
import type { OrphanReport } from '../../../workflows/safety/orphans.ts';
import { runCheck } from '../support/checks.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  machinesOf,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { className } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

/** Nothing here waits for the health timeout of ten minutes. */
describe('an instance that is gone', () => {
  // Runs are started by hand only.
  const workerFlags = ['--machine-safety-orphan-vms-period=24h', '--safety-orphans-min-age=0s'];
  const scenario = useScenario('missing', { workerFlags });
  const { cloud, workflows, namespace } = scenario;

  async function look(): Promise<OrphanReport> {
    return await (await runCheck(workflows, 'orphans')).result();
  }

  async function lose(name: string): Promise<string> {
    const instance = (await cloud.instances()).find((one) => one.name === name);
    if (!instance) throw new Error(`${name} has no instance`);
    await cloud.delete(instance.id);
    await untilPhase(scenario, name, 'Unknown');
    return instance.providerID;
  }

  test('makes its machine Failed with that reason, and it is replaced', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    const before = await untilRunning(scenario, pool, 3);
    const name = before[0]?.metadata.name ?? '';
    const providerID = await lose(name);
    expect(await look()).toMatchObject({
      suspected: 0,
      missing: { total: 1, machines: [{ name, providerID }], stopped: [] },
    });
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'InstanceGone' });
    await eventually('it was replaced', async () => {
      const names = (await machinesOf(scenario, pool)).map(({ metadata }) => metadata.name);
      expect(names).not.toContain(name);
    });
    const after = await untilRunning(scenario, pool, 3);
    const kept = before.slice(1).map(({ metadata }) => metadata.uid);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(kept));
    expect(await look()).toMatchObject({ missing: { total: 0 } });
    await deleteDeployment(scenario, pool);
  });

  test('of a machine that nobody replaces is said on it and found by the search; with disableHealthTimeout it stays Unknown', async () => {
    const alone = await createMachine(scenario, 'alone');
    const spared = await createMachine(scenario, 'spared', { disableHealthTimeout: true });
    const others = [await createMachine(scenario, 'b'), await createMachine(scenario, 'c')];
    for (const name of [alone, spared, ...others]) await untilPhase(scenario, name, 'Running');
    const providerID = await lose(alone);
    const sparedID = await lose(spared);
    expect(await look()).toMatchObject({ missing: { total: 2, stopped: [] } });
    const { status } = await untilPhase(scenario, alone, 'Failed');
    expect(status?.lastOperation?.description).toContain(`no instance ${providerID} any more`);
    await eventually('the search finds both', async () => {
      for (const [name, id] of [
        [alone, providerID],
        [spared, sparedID],
      ]) {
        const found = await workflows.running(`BlockedBy="instance ${id} is gone"`);
        expect(found).toEqual([`machine/${namespace}/${name}`]);
      }
    });
    const held = await untilPhase(scenario, spared, 'Unknown');
    expect(held.status?.lastOperation?.description).toContain(`no instance ${sparedID} any more`);
    for (const name of [alone, spared, ...others]) await deleteMachine(scenario, name);
  });

  test('with most of the others is reported, and nobody acts', async () => {
    const names = [];
    for (const short of ['x', 'y', 'z', 'w']) names.push(await createMachine(scenario, short));
    for (const name of names) await untilPhase(scenario, name, 'Running');
    for (const name of names.slice(1)) await lose(name);
    const report = await look();
    expect(report.missing).toMatchObject({ total: 3, stopped: [{ className }] });
    await untilEvent(
      scenario,
      { kind: 'MachineClass', name: className },
      { type: 'Warning', reason: 'TooManyMissing' },
    );
    for (const name of names.slice(1)) await untilPhase(scenario, name, 'Unknown');
    for (const name of names) await deleteMachine(scenario, name);
  });
});
