/** MachineSets: what changes hands, what is pushed down, what goes although the number is right. */
import type { Machine, MachineSpec } from '../../../workflows/api/machine.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { deleteMachine, machinesOf, untilGone, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { createSet, deleteSet, readSet } from '../support/sets.ts';

const effective = 'node.machine.sapcloud.io/effective-creation-timeout';
const lastScaled = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
const priority = 'machinepriority.machine.sapcloud.io';
const markedAt = 'machine.sapcloud.io/marked-for-deletion-time';

const freeze = (value: string | null): object => ({ metadata: { labels: { freeze: value } } });
const nameOf = (machine: Machine | undefined): string => machine?.metadata.name ?? '';

describe('a MachineSet', () => {
  const scenario = useScenario('claims', {
    isDoubled: true,
    // It would take off a freeze that is made by hand.
    workerFlags: ['--machine-safety-overshooting-period=24h'],
  });
  const { cluster } = scenario;

  const ownersOf = async (name: string): Promise<string[]> =>
    ((await cluster.machine(name)).metadata.ownerReferences ?? []).map((owner) => owner.name);

  async function push(set: string, spec: MachineSpec): Promise<void> {
    await cluster.patch('machinesets', set, { spec: { template: { spec } } });
  }

  test('lets a machine go whose label changes, and another set takes it', async () => {
    const first = await createSet(scenario, 'gives', { replicas: 2 });
    const [machine] = await untilRunning(scenario, first, 2);
    const name = nameOf(machine);
    const second = scenario.named('takes').name;
    await cluster.patch('machines', name, { metadata: { labels: { set: second } } });
    await eventually('the machine is let go', async () => expect(await ownersOf(name)).toEqual([]));
    await untilEvent(scenario, { kind: 'MachineSet', name: first }, { reason: 'ReleasedMachine' });
    // Two of its own and the one that was let go, which lives on.
    await untilRunning(scenario, first, 3);
    await createSet(scenario, 'takes', { replicas: 1 });
    await eventually('the other set has it', async () =>
      expect(await ownersOf(name)).toEqual([second]),
    );
    expect(await machinesOf(scenario, second)).toEqual([]);
    await deleteSet(scenario, second);
    await untilGone(scenario, cluster.pathOf('machines', name));
    await deleteSet(scenario, first);
  });

  test('whose selector changes lets its machines go', async () => {
    const set = await createSet(scenario, 'turns', { replicas: 2 });
    const left = await untilRunning(scenario, set, 2);
    await cluster.patch('machinesets', set, {
      spec: {
        selector: { matchLabels: { turned: set } },
        template: { metadata: { labels: { turned: set } } },
      },
    });
    for (const machine of left) {
      await eventually('the machine is let go', async () =>
        expect(await ownersOf(nameOf(machine))).toEqual([]),
      );
    }
    await untilRunning(scenario, set, 4);
    await deleteSet(scenario, set);
    for (const machine of left) await deleteMachine(scenario, nameOf(machine));
  });

  test('pushes its template down, and its machines keep their own creation timeout', async () => {
    const set = await createSet(scenario, 'pushes', { replicas: 2, creationTimeout: '10m' });
    const [own] = await untilRunning(scenario, set, 2);
    await cluster.patch('machines', nameOf(own), {
      metadata: { annotations: { [effective]: '7m' } },
      spec: { healthTimeout: '3m' },
    });
    const nodeTemplate = { metadata: { labels: { zone: 'a' } } };
    await push(set, { drainTimeout: '1h', nodeTemplate });
    const common = { drainTimeout: '1h', nodeTemplate };
    await eventually('the machines follow', async () => {
      for (const { metadata, spec } of await machinesOf(scenario, set)) {
        const creationTimeout = metadata.name === nameOf(own) ? '7m' : '10m';
        expect(spec).toMatchObject({ ...common, creationTimeout });
        expect(spec.healthTimeout).toBeUndefined();
      }
    });
    await cluster.patch('machinesets', set, {
      spec: { template: { spec: { drainTimeout: null, nodeTemplate: null } } },
    });
    await eventually('what is taken from the template goes', async () => {
      for (const { spec } of await machinesOf(scenario, set)) {
        expect(spec.drainTimeout).toBeUndefined();
        expect(spec.nodeTemplate).toBeUndefined();
      }
    });
    await deleteSet(scenario, set);
  });

  test('replaces a machine that the autoscaler marked, although the number is right', async () => {
    const set = await createSet(scenario, 'marked', { replicas: 2 });
    const [machine] = await untilRunning(scenario, set, 2);
    const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    await cluster.patch('machines', nameOf(machine), {
      metadata: { annotations: { [priority]: '1', [markedAt]: time } },
    });
    await cluster.patch('machinesets', set, { metadata: { annotations: { [lastScaled]: time } } });
    await untilGone(scenario, cluster.pathOf('machines', nameOf(machine)));
    const now = await untilRunning(scenario, set, 2);
    expect(now.map(nameOf)).not.toContain(nameOf(machine));
    await deleteSet(scenario, set);
  });

  test('a MachineSet that is frozen makes nothing until the label goes, but pushes and shrinks', async () => {
    const set = await createSet(scenario, 'frozen', { replicas: 2 });
    await untilRunning(scenario, set, 2);
    await cluster.patch('machinesets', set, freeze('True'));
    await cluster.patch('machinesets', set, { spec: { replicas: 4 } });
    await push(set, { drainTimeout: '1h' });
    await eventually('the machines follow', async () => {
      const machines = await machinesOf(scenario, set);
      expect(machines.map(({ spec }) => spec.drainTimeout)).toEqual(['1h', '1h']);
    });
    const { metadata, status } = await readSet(scenario, set);
    expect(status).toMatchObject({ replicas: 2, observedGeneration: metadata.generation });
    await cluster.patch('machinesets', set, { spec: { replicas: 1 } });
    await untilRunning(scenario, set, 1);
    await cluster.patch('machinesets', set, { spec: { replicas: 3 } });
    await cluster.patch('machinesets', set, freeze(null));
    await untilRunning(scenario, set, 3);
    await deleteSet(scenario, set);
  });
});
