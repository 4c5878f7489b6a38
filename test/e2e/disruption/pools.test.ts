/** What several deployments share by one DisruptionPolicy, while watcher and worker die. */
import type { MachineDeploymentSpec } from '../../../workflows/api/machine-deployment.ts';
import { StateRecorder } from '../support/bounds.ts';
import {
  createDeployment,
  deleteDeployment,
  machinesOf,
  untilRunning,
} from '../support/machines.ts';
import { Policy } from '../support/policies.ts';
import { startRandomKills } from '../support/random-kills.ts';
import { changeClass, createClass, untilComplete } from '../support/rollouts.ts';
import { useScenario } from '../support/scenario.ts';
import type { State } from '../support/states.ts';

const newClass = 'medium';
const replicas = 3;

/** Deployments that have machines in two sets. */
function rollingIn({ sets }: State, names: readonly string[]): string[] {
  const filled = Object.entries(sets).filter(([, { total }]) => total > 0);
  return names.filter((name) => filled.filter(([set]) => set.startsWith(`${name}-`)).length > 1);
}

describe('deployments of one pool', () => {
  const scenario = useScenario('pools', { isDoubled: false });
  const { cluster, namespace, operator, cloud } = scenario;

  beforeAll(async () => {
    await createClass(scenario, newClass);
  });

  async function createPool(
    short: string,
    rollingUpdate: { maxSurge: number; maxUnavailable: number },
  ): Promise<string> {
    const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
    const spec: Partial<MachineDeploymentSpec> = { replicas, strategy };
    const name = await createDeployment(scenario, short, spec);
    await untilRunning(scenario, name, replicas);
    await untilComplete(scenario, name);
    return name;
  }

  /** Rolls all at once, and returns what was seen meanwhile. */
  async function rollAll(names: readonly string[]): Promise<StateRecorder> {
    const recorder = new StateRecorder(cluster.kube, namespace);
    await recorder.started();
    try {
      await using kills = startRandomKills(operator, { programs: ['watcher', 'worker'] });
      await Promise.all(names.map((name) => changeClass(scenario, name, newClass)));
      for (const name of names) await untilComplete(scenario, name);
      await kills.stop();
    } finally {
      await recorder.stop();
    }
    for (const name of names) {
      const machines = await machinesOf(scenario, name);
      expect(machines.map(({ spec }) => spec.class?.name)).toEqual(
        Array.from({ length: replicas }, () => newClass),
      );
    }
    const { createsPerName } = await cloud.calls();
    expect(Object.entries(createsPerName).filter(([, count]) => count !== 1)).toEqual([]);
    return recorder;
  }

  test('roll zone after zone, with one machine more for all of them and none fewer', async () => {
    const names = [
      await createPool('zone-a', { maxSurge: 1, maxUnavailable: 0 }),
      await createPool('zone-b', { maxSurge: 0, maxUnavailable: 1 }),
      await createPool('zone-c', { maxSurge: 0, maxUnavailable: 1 }),
    ];
    const policy = await Policy.create(scenario, 'pool', { surge: 1, atATime: { deployments: 1 } });
    await policy.until({ open: true });
    const recorder = await rollAll(names);
    const wanted = names.length * replicas;
    recorder.expectBounds({ maxTotal: wanted + 1, minAvailable: wanted });
    const rolling = recorder.states.map((state) => rollingIn(state, names));
    expect(rolling.filter((some) => some.length > 1)).toEqual([]);
    const turns = rolling.flat().filter((name, index, all) => name !== all[index - 1]);
    expect(turns).toEqual(names);
    await policy.delete();
    for (const name of names) await deleteDeployment(scenario, name);
  });

  test('never have more machines on their way than the policy lets', async () => {
    const names = [
      await createPool('pool-a', { maxSurge: 2, maxUnavailable: 1 }),
      await createPool('pool-b', { maxSurge: 2, maxUnavailable: 1 }),
    ];
    const policy = await Policy.create(scenario, 'one', { atATime: { machines: 1 } });
    await policy.until({ open: true });
    const recorder = await rollAll(names);
    const going = recorder.states.map(({ total, active }) => total - active);
    expect(Math.max(...going)).toBe(1);
    await policy.until({ going: 0, waiting: 0 });
    await policy.delete();
    for (const name of names) await deleteDeployment(scenario, name);
  });
});
