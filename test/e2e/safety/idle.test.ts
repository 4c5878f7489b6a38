/** Machines that nothing happens to cost nothing, also when our processes start again. */
import { operatorWrites } from '../support/audit.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteMachine,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

describe('ten idle machines', () => {
  const scenario = useScenario('idle', { isDoubled: false });
  let pool: string;
  let markers = 0;

  /**
   * Something unrelated happens, from its creation to its end: all that came before it has been
   * seen by then.
   */
  async function marker(): Promise<void> {
    markers += 1;
    const name = await createMachine(scenario, `marker${markers}`);
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  }

  /** History events of each workflow of the pool, and our writes to its objects. */
  async function costs(): Promise<object> {
    const counts = Object.entries(await scenario.workflows.eventCounts());
    const events = counts.filter(([id]) => id.includes(pool));
    const writes = await operatorWrites(pool);
    // Ten machines, their set and their deployment; and what it took to make them is in the log.
    expect(events).toHaveLength(12);
    expect(writes.length).toBeGreaterThan(30);
    return { events: Object.fromEntries(events), writes };
  }

  /** The last statuses of a pool that has just become Running are written within moments. */
  async function untilQuiet(): Promise<object> {
    return await eventually('nothing happens any more', async () => {
      const before = await costs();
      await marker();
      expect(await costs()).toEqual(before);
      return before;
    });
  }

  beforeAll(async () => {
    pool = await createDeployment(scenario, 'pool', { replicas: 10 });
    await untilRunning(scenario, pool, 10);
  });

  test('cause no API write and no history event while others come and go', async () => {
    const before = await untilQuiet();
    await marker();
    await marker();
    expect(await costs()).toEqual(before);
  });

  test('are not disturbed by a restart of the watcher', async () => {
    const before = await untilQuiet();
    await scenario.operator.kill9('watcher');
    await marker();
    expect(await costs()).toEqual(before);
  });

  test('are not disturbed by a restart of the worker', async () => {
    const before = await untilQuiet();
    await scenario.operator.kill9('worker');
    await marker();
    expect(await costs()).toEqual(before);
  });
});
