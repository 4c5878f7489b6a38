/** A machine that an update in place has moved to another set. */
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { eventually } from '../../support/eventually.ts';
import { MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

test('is read anew, shows its new set, and is found in it; once', async () => {
  const world = await MachineWorld.create(temporal);
  world.object = { ...world.object, machineSet: 'old' };
  await world.run(async () => {
    await world.begin({}, [{ key: keys.MachineSet, value: 'old' }]);
    await world.joinNode();
    await world.phase('Running');
    const reads = world.log.count('readAndClaimMachine');
    world.object = { ...world.object, machineSet: 'new' };
    await world.observe({ movedTo: 'new' });
    await world.log.until('readAndClaimMachine', reads + 1);
    await eventually('it has its new set', async () => {
      return (await world.state()).object.prepared?.machineSet === 'new';
    });
    const { typedSearchAttributes: shown } = await world.handle.describe();
    expect(shown.get(keys.MachineSet)).toBe('new');
    await world.observe({ movedTo: 'new' });
    await world.state();
    expect(world.log.count('readAndClaimMachine')).toBe(reads + 1);
    const { events = [] } = await world.handle.fetchHistory();
    const shows = (events ?? []).filter(
      (event) =>
        'MachineSet' in
        (event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields ??
          {}),
    );
    expect(shows).toHaveLength(1);
  });
});
