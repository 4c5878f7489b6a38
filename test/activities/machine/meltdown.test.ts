import { recentMeltdown } from '../../../activities/machine/meltdown.ts';
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
  expect(await recentMeltdown({ control, namespace: 'ill' })).toMatchObject(hold);
  expect(await recentMeltdown({ control, namespace: 'well' })).toBeUndefined();
  expect(await recentMeltdown({ control, namespace: 'ill' })).toMatchObject(hold);
  // The third answer is that of the first.
  expect(control.calls).toHaveLength(2);
});
