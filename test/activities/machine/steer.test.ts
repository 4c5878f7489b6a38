import { expect, test } from '@jest/globals';
import { steerMachine } from '../../../activities/machine/steer.ts';
import { customResource } from '../../../activities/kube/paths.ts';
import type { MachineCommand } from '../../../workflows/activities.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { MemoryKube } from '../../support/memory-kube.ts';
import { lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const until = Date.parse('2026-01-01T03:00:00Z');

test.each<{ command: MachineCommand; metadata: object; words: string }>([
  {
    command: { verb: 'forceDelete' },
    metadata: { labels: { 'force-deletion': 'True' } },
    words: 'Deletion by force',
  },
  {
    command: { verb: 'skipDrain' },
    metadata: { annotations: { 'millwright.dev/skip-drain': 'true' } },
    words: 'Drain skipped',
  },
  {
    command: { verb: 'skipVolumeWait' },
    metadata: { annotations: { 'millwright.dev/skip-volume-wait': 'true' } },
    words: 'Volumes are not waited for',
  },
  {
    command: { verb: 'extendDrain', minutes: 30 },
    metadata: { annotations: { 'millwright.dev/drain-until': '2026-01-01T03:00:00Z' } },
    words: 'Drain extended until 2026-01-01T03:00:00Z',
  },
  { command: { verb: 'retryNow' }, metadata: {}, words: 'Tried again at once' },
])('$command.verb stands on the Machine, and in an Event', async ({ command, metadata, words }) => {
  const control = new MemoryKube(aMachine());
  const asked = { ...command, by: 'Ada' };
  expect(await steerMachine(control, { machine, command: asked, until })).toBe(words);
  expect(await control.read<Machine>(path)).toMatchObject({ metadata });
  expect(control.bodies.at(-1)).toMatchObject({
    message: `${words}, asked for through Temporal by "Ada"`,
  });
});

test('a Machine that is gone takes no command', async () => {
  const steered = steerMachine(new MemoryKube(), { machine, command: { verb: 'skipDrain' } });
  await expect(steered).rejects.toMatchObject({
    message: 'the Machine is gone',
    nonRetryable: true,
  });
});
