/** The Temporal UI lists what can be sent to a run, and says of each what it does. */
import { TemporalForTests } from '../../support/temporal.ts';
import { MachineWorld } from '../machine/machine-world.ts';
import { RolloutWorld } from '../machine-deployment/rollout-world.ts';
import { Machines, SetWorld } from '../machine-set/set-world.ts';

const temporal = TemporalForTests.ofFile();

interface Described {
  name?: string;
  description?: string;
}

async function undescribed({ handle }: Pick<SetWorld, 'handle'>): Promise<string[]> {
  const { definition } = await handle.query<{ definition: Record<string, Described[] | string> }>(
    '__temporal_workflow_metadata',
  );
  const all = Object.values(definition).filter((one) => typeof one === 'object');
  expect(all.flat().length).toBeGreaterThan(5);
  return all
    .flat()
    .flatMap(({ name, description = '' }) =>
      name !== undefined && description === '' ? [name] : [],
    );
}

test('all that a machine hears is described', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.begin();
    expect(await undescribed(world)).toEqual([]);
  });
});

test('all that a set hears is described', async () => {
  const world = new SetWorld(temporal, 'machineSet', new Machines(1).steps());
  await world.run(async () => {
    await world.observe();
    expect(await undescribed(world)).toEqual([]);
  });
});

test('all that a deployment hears is described', async () => {
  const { world } = new RolloutWorld(temporal);
  await world.run(async () => {
    await world.observe();
    expect(await undescribed(world)).toEqual([]);
  });
});
