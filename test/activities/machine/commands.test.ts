import { applyMachineCommand } from '../../../activities/machine/commands.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { MachineCommand } from '../../../workflows/contracts/commands.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

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
])(
  'the command $command.verb is written to the Machine, and in an Event',
  async ({ command, metadata, words }) => {
    const world = aWorld({ control: [aMachine()] });
    const { control } = world;
    const asked = { ...command, by: 'Ada' };
    const applied = await applyMachineCommand(world, { machine, command: asked, until });
    const present = await control.read<Machine>(path);
    expect(present).toMatchObject({ metadata });
    const { resourceVersion } = present.metadata;
    const isWritten = command.verb !== 'retryNow';
    expect(applied).toEqual({ words, ...(isWritten && { resourceVersion }) });
    expect(control.bodies.at(-1)).toMatchObject({
      message: `${words}, asked for through Temporal by "Ada"`,
    });
  },
);

test('a Machine that is gone takes no command', async () => {
  const steered = applyMachineCommand(aWorld(), { machine, command: { verb: 'skipDrain' } });
  await expect(steered).rejects.toMatchObject({
    message: 'the Machine is gone',
    nonRetryable: true,
  });
});

test('an extension is reported with the pauses since the deletion, and stands without them', async () => {
  const countsFrom = until - 3_600_000;
  const pause = { reason: 'stop', from: countsFrom, until: countsFrom + 1_800_000 } as const;
  const world = aWorld({ control: [aMachine()], pauses: () => [pause] });
  const command = { verb: 'extendDrain', minutes: 30 } as const;
  expect(await applyMachineCommand(world, { machine, command, until, countsFrom })).toMatchObject({
    words: 'Drain extended until 2026-01-01T03:30:00Z',
  });
  expect(await world.control.read<Machine>(path)).toMatchObject({
    metadata: { annotations: { 'millwright.dev/drain-until': '2026-01-01T03:00:00Z' } },
  });
});
