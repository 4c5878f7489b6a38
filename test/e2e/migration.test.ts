/** From the real MCM v0.62.1 to Millwright and back, where nothing is under way. */
import { createDeployment, untilRunning } from './support/machines.ts';
import { useMcm } from './support/migration.ts';

describe.each([
  { name: 'searching', periods: '2s' },
  { name: 'resting', periods: '24h' },
])('with the safety checks of both $name', ({ name, periods }) => {
  const safety = [
    `--machine-safety-orphan-vms-period=${periods}`,
    `--machine-safety-apiserver-statuscheck-period=${periods}`,
    // No longer than the period.
    '--machine-safety-apiserver-statuscheck-timeout=1s',
  ];
  const migrated = useMcm(`migrate-${name}`, {
    machineControllerFlags: safety,
    managerFlags: [`--machine-safety-overshooting-period=${periods}`],
    workerFlags: [
      `--machine-safety-overshooting-period=${periods}`,
      '--safety-orphans-min-age=0s',
      ...safety,
    ],
    causes: [/TERMINATED/i],
  });
  const { scenario } = migrated;

  test('nothing is touched, and whoever looks after the machines scales them', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    await untilRunning(scenario, pool, 3);
    const before = await migrated.belongings();
    expect(before).toMatchObject({ created: 3, deleted: 0 });

    expect(await migrated.run('check')).toMatchObject({ exitCode: 0 });
    await migrated.run('take-over');
    expect(await migrated.belongings()).toEqual(before);
    await scenario.cluster.scale(pool, 4);
    await untilRunning(scenario, pool, 4);
    const scaled = await migrated.belongings();
    expect(scaled).toMatchObject({ created: 4, deleted: 0 });
    expect(scaled.machines).toMatchObject(before.machines);
    expect(scaled.instances).toMatchObject(before.instances);

    await migrated.run('hand-back');
    expect(await migrated.belongings()).toEqual(scaled);
    await scenario.cluster.scale(pool, 5);
    await untilRunning(scenario, pool, 5);
    expect(await migrated.belongings()).toMatchObject({ created: 5, deleted: 0 });
    await scenario.cluster.scale(pool, 2);
    await untilRunning(scenario, pool, 2);
    expect(await migrated.belongings()).toMatchObject({ created: 5, deleted: 3 });
  });
});
