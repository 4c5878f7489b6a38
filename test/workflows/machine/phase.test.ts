/** What the search shows of a machine, and what that costs. */
import type { SearchAttributePair } from '@temporalio/common';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

function asStarted(deadline: number): SearchAttributePair[] {
  return [
    { key: keys.State, value: 'Pending' },
    { key: keys.Attention, value: 'none' },
    { key: keys.Deadline, value: new Date(deadline) },
  ];
}

test.each([
  { name: 'as it was started', offsetMs: 0, changes: 0 },
  { name: 'with another deadline than at its start', offsetMs: 60_000, changes: 1 },
])('a Pending machine $name changes what is shown $changes times', async (given) => {
  const world = await MachineWorld.create(temporal);
  const deadline = world.object.createdAt + 1_200_000;
  await world.run(async () => {
    await world.begin({}, asStarted(deadline + given.offsetMs));
    await world.phase('Pending');
    const { events } = await world.handle.fetchHistory();
    const upserts = events?.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes);
    expect(upserts?.length).toBe(given.changes);
    const { typedSearchAttributes: shown } = await world.handle.describe();
    expect(shown.get(keys.State)).toBe('Pending');
    expect(shown.get(keys.Deadline)?.getTime()).toBe(deadline);
    await world.joinNode();
    await world.phase('Running');
    const { typedSearchAttributes: then } = await world.handle.describe();
    expect(then.get(keys.State)).toBe('Running');
    expect(then.get(keys.Deadline)).toBeUndefined();
  });
});
