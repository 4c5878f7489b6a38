import { recentMeltdown } from '../../../activities/machine/meltdown.ts';
import { createMemory } from '../../../activities/runtime/memory.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aMachine } from '../../support/builders.ts';

function machinesOf(namespace: string, phases: MachinePhase[]): object[] {
  return phases.map((phase, index) => {
    const name = `pool-${index}`;
    return aMachine({ phase, metadata: { name, namespace, uid: `${namespace}-${index}` } });
  });
}

test('an outage of one namespace of a fleet holds no machine of another', async () => {
  const control = new InMemoryClient(
    ...machinesOf('ill', ['Unknown', 'Unknown', 'Unknown']),
    ...machinesOf('well', ['Unknown', 'Running', 'Running']),
  );
  const hold = { isMeltdown: true };
  const ill = { control, namespace: 'ill', memory: createMemory() };
  expect(await recentMeltdown(ill)).toMatchObject(hold);
  expect(
    await recentMeltdown({ ...ill, namespace: 'well', memory: createMemory() }),
  ).toBeUndefined();
  expect(await recentMeltdown(ill)).toMatchObject(hold);
  // The third answer is that of the first.
  expect(control.calls).toHaveLength(2);
});
