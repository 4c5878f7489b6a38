/**
 * Each fault of a cloud in the deletion of a machine, all at once: each Machine says what is wrong,
 * and goes when it is over.
 */
import { casesOf, untilEachSays } from '../support/cloud-fault-cases.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

describe('the deletion of a machine', () => {
  const scenario = useScenario('faults-delete');
  const { cluster, cloud } = scenario;

  test('says which fault of the cloud is in its way, and deletes the VM when that is over', async () => {
    // A cloud that says so is believed: then there is nothing to delete.
    const cases = casesOf('delete').filter(({ code }) => code !== 'NotFound');
    const names = await Promise.all(cases.map(({ short }) => createMachine(scenario, short)));
    for (const name of names) await untilPhase(scenario, name, 'Running');
    for (const { short, fault } of cases) {
      await cloud.addFault({ ...fault, match: scenario.named(short).name });
    }
    const idle = await createMachine(scenario, 'well');
    await untilPhase(scenario, idle, 'Running');
    for (const name of names) await cluster.delete(cluster.pathOf('machines', name));
    await untilEachSays(scenario, cases, 'Delete');
    const phases = await cluster.phases();
    expect(names.map((name) => phases[name])).toEqual(names.map(() => 'Terminating'));
    expect(await cloud.instances()).toHaveLength(names.length + 1);
    // A cloud that fails for some machines is at the service of the others.
    await deleteMachine(scenario, idle);

    await cloud.clearFaults();
    const none = async (): Promise<void> => expect(await cluster.machines()).toEqual([]);
    await eventually('all are gone', none);
    expect(await cloud.instances()).toEqual([]);
    expect(await deletions()).toEqual([...names, idle].toSorted());
  });

  test('whose answer is lost again and again deletes one VM, once', async () => {
    const name = await createMachine(scenario, 'lost');
    await untilPhase(scenario, name, 'Running');
    await cloud.addFault({ operation: 'delete', kind: 'loseAnswer', times: 2 });
    await cloud.addFault({ operation: 'list', kind: 'loseAnswer', times: 2 });
    await deleteMachine(scenario, name);
    expect((await deletions()).filter((one) => one === name)).toEqual([name]);
  });

  test('of a VM that has vanished finds nothing to delete', async () => {
    const name = await createMachine(scenario, 'vanished', { healthTimeout: '1h' });
    await untilPhase(scenario, name, 'Running');
    const [instance] = await cloud.instances();
    await cloud.delete(instance?.id ?? '');
    await deleteMachine(scenario, name);
    // The one was ours.
    expect((await deletions()).filter((one) => one === name)).toEqual([name]);
  });

  test('of a machine whose create had no answer yet takes its Node with it', async () => {
    const { name } = scenario.named('unheard');
    // Silent for so long that it is still waited for when the search is broken, below.
    const lost = { operation: 'create', kind: 'loseAnswer', times: 1, seconds: 15 };
    await cloud.addFault({ ...lost, match: name });
    await createMachine(scenario, 'unheard');
    await eventually('its VM is there', async () => {
      expect(await cloud.instances()).toHaveLength(1);
    });
    // Or the next attempt would find it.
    await cloud.addFault({ operation: 'list', kind: 'throttle', match: name });
    await eventually('its Node has joined', async () => {
      expect((await cluster.nodes()).map(({ metadata }) => metadata.name)).toEqual([name]);
    });
    expect((await cluster.machine(name)).spec.providerID).toBeUndefined();
    await cluster.delete(cluster.pathOf('machines', name));
    await untilPhase(scenario, name, 'Terminating');
    await cloud.clearFaults();
    await untilGone(scenario, cluster.pathOf('machines', name));
    expect(await cloud.instances()).toEqual([]);
    expect(await cluster.nodes()).toEqual([]);
  });

  /** Names of the VMs that a call deleted, sorted: one that was deleted twice is there twice. */
  async function deletions(): Promise<string[]> {
    return (await cloud.deletions()).map(({ name }) => name).toSorted();
  }
});
