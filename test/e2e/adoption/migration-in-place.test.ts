/** Updates in place by the real MCM v0.62.1: as recorded, and both ways in the middle of one. */
import { eventually } from '../../support/eventually.ts';
import { inPlaceHistoryFile } from '../support/in-place-moments.ts';
import { sequenceOf } from '../support/in-place-sequence.ts';
import {
  answer,
  answerForAll,
  blockDrains,
  changeClass,
  createInPlacePool,
  nextClass,
  tellInPlaceStory,
  untilDrainIsRefused,
  untilNodeIs,
} from '../support/in-place-story.ts';
import { untold } from '../support/mcm-recording.ts';
import { useMcm, type MigratedScenario } from '../support/migration.ts';
import { ObjectHistory, readHistory, writeHistory } from '../support/object-history.ts';

/** Runs that hand-back ends. */
const causes = [/TERMINATED/i];

async function createPool(migrated: MigratedScenario): Promise<string> {
  const { scenario } = migrated;
  await scenario.cluster.create('machineclasses', migrated.classManifest(nextClass, nextClass));
  return await createInPlacePool(scenario);
}

describe('an update in place by MCM', () => {
  const migrated = useMcm('mcminplace');
  const { scenario } = migrated;
  const { cluster, namespace } = scenario;

  // UPDATE_GOLDEN=1 writes what MCM did this time.
  test('goes as it was recorded', async () => {
    const pool = await createPool(migrated);
    const history = new ObjectHistory(cluster);
    try {
      await history.started();
      await tellInPlaceStory(scenario, pool);
    } finally {
      await history.stop();
    }
    const { versions } = history;
    if (process.env['UPDATE_GOLDEN'] === '1') {
      const machines = await cluster.machines();
      writeHistory(inPlaceHistoryFile, versions, (text) => untold(text, namespace, machines));
    }
    const recorded = readHistory(inPlaceHistoryFile);
    expect(sequenceOf(versions)).toEqual(sequenceOf(recorded));
    expect(await migrated.belongings()).toMatchObject({ created: 3, deleted: 0 });
  });
});

describe('in the middle of an update in place', () => {
  const migrated = useMcm('midinplace', { causes });
  const { scenario } = migrated;

  test('it goes on with the same machines, both ways', async () => {
    const pool = await createPool(migrated);
    const { machines, instances } = await migrated.belongings();
    const unblock = await blockDrains(scenario, pool);
    await changeClass(scenario, pool);

    const first = await untilDrainIsRefused(scenario);
    await migrated.run('take-over');
    await eventually('the drain of Millwright is refused', async () => {
      const failures = await scenario.workflows.pendingFailures('machine', first);
      expect(failures['drainNode']).toMatch(/PodDisruptionBudget/);
    });
    await unblock();
    expect(await untilNodeIs(scenario, 'ReadyForUpdate')).toBe(first);

    await migrated.run('hand-back');
    await answer(scenario, first, 'successful');
    const second = await untilNodeIs(scenario, 'ReadyForUpdate', [first]);
    await answer(scenario, second, 'failed');
    await untilNodeIs(scenario, 'UpdateFailed');

    await migrated.run('take-over');
    await answerForAll(scenario, pool);
    expect(await migrated.belongings()).toMatchObject({
      machines,
      instances,
      created: 3,
      deleted: 0,
    });
  });
});
