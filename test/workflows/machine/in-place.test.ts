/** A Node that is updated in place: what its machine's workflow does, in which order. */
import type { InPlaceNode, InPlaceReason } from '../../../workflows/api/in-place.ts';
import { machineCommands } from '../../../workflows/contracts/commands.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import type { JoinedPhase } from '../../../workflows/plan/machine/health.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { hang, MachineWorld } from './machine-world.ts';
import { selected, Updated } from './updated-machine.ts';

const temporal = TemporalForTests.ofFile();
const minutes = 60;

/** Of an update without trouble: docs/internals/budgets.md. */
const eventsMax = 32;

async function create(
  command = (): void => undefined,
): Promise<{ world: MachineWorld; updated: Updated }> {
  const updated = new Updated();
  const world = await MachineWorld.create(temporal, {
    ...updated.steps,
    applyMachineCommand: async () => {
      command();
      return { words: 'done' };
    },
  });
  return { updated, world };
}

const ready = ['InPlaceUpdating', 'DrainSuccessful', 'ReadyForUpdate'];
const toReady = ['CandidateForUpdate', 'SelectedForUpdate', 'drain for update', ...ready];
const toEnd = ['UpdateSuccessful', 'InPlaceUpdateSuccessful', 'Running'];

async function until(updated: Updated, last: string): Promise<void> {
  const what = () => `${last} after ${updated.done.join(', ')}`;
  await eventually(what, () => updated.done.at(-1) === last);
}

test('a machine whose Node says nothing of an update has no step, fact or state of it', async () => {
  const { world } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await temporal.skip(24 * 60 * minutes);
    expect(world.log.count('updateInPlace')).toBe(0);
    expect(await world.state()).not.toHaveProperty('inPlace');
  });
});

test('from the labels to a Running machine, with nothing but one word of the agent', async () => {
  const { world, updated } = await create();
  await world.run(async () => {
    // No queries here: the test server pays events for them, which the real one does not.
    await world.beginAndJoin();
    const before = await world.eventCount();
    await updated.say(world, selected);
    await until(updated, 'ReadyForUpdate');
    expect(updated.done).toEqual(toReady);
    await updated.say(world, { result: 'successful' });
    await until(updated, 'Running');
    expect(updated.done).toEqual([...toReady, ...toEnd]);
    expect((await world.eventCount()) - before).toBeLessThanOrEqual(eventsMax);
    const [request] = world.log.inputsOf('drainNode');
    expect(request).toMatchObject({ keepsNode: true, isForUpdate: true, isForced: false });
  });
});

test('the clock of the drain counts from the selection', async () => {
  const { world, updated } = await create();
  updated.node = { ...selected, reason: 'SelectedForUpdate', since: 5_000_000 };
  updated.drain = hang;
  await world.run(async () => {
    await updated.takeOver(world);
    await world.log.until('drainNode');
    expect(world.log.inputsOf('drainNode')).toMatchObject([
      { countsFrom: 5_000_000, deadline: 5_000_000 + 7_200_000 },
    ]);
  });
});

test('a machine waits for an agent for hours without an event, and until its timeout', async () => {
  const { world, updated } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await until(updated, 'ReadyForUpdate');
    await updated.echo(world);
    await temporal.skip(1);
    const events = await world.eventCount();
    const { typedSearchAttributes: shown } = await world.handle.describe();
    expect(shown.get(keys.State)).toBe('InPlaceUpdating');
    expect(shown.get(keys.Attention)).toBe('external');
    expect(shown.get(keys.Deadline)).toBeDefined();
    await temporal.skip(15 * minutes);
    expect(await world.eventCount()).toBe(events);
    await temporal.skip(6 * minutes);
    await until(updated, 'InPlaceUpdateFailed');
    await temporal.skip(8 * minutes);
    expect(updated.done.at(-1)).toBe('InPlaceUpdateFailed');
    await temporal.skip(4 * minutes);
    await until(updated, 'Failed');
    await world.phase('Failed');
  });
});

test('an update that failed and then succeeds brings the machine back', async () => {
  const { world, updated } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await until(updated, 'ReadyForUpdate');
    await updated.say(world, { result: 'failed', failedReason: 'no disk' });
    await until(updated, 'InPlaceUpdateFailed');
    const { currentDetails } = await world.handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain('no disk');
    await updated.say(world, { result: 'successful' });
    await until(updated, 'Running');
    expect(updated.done).toEqual([...toReady, 'UpdateFailed', 'InPlaceUpdateFailed', ...toEnd]);
  });
});

test('a result that comes before the drain counts after it', async () => {
  const { world, updated } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, { ...selected, reason: 'SelectedForUpdate', result: 'successful' });
    await until(updated, 'Running');
    expect(updated.done).toEqual(['drain for update', ...ready, ...toEnd]);
  });
});

test('a machine that is ill after its update is Unknown', async () => {
  const { world, updated } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await until(updated, 'ReadyForUpdate');
    updated.isHealthy = false;
    await updated.say(world, { result: 'successful' });
    await until(updated, 'Unknown');
    expect(updated.done.slice(-2)).toEqual(['InPlaceUpdateSuccessful', 'Unknown']);
  });
});

test('a machine that is held from being replaced stays, and is looked at again', async () => {
  const { world, updated } = await create();
  updated.hold = 'others are replaced';
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, { ...selected, reason: 'ReadyForUpdate', result: 'failed' });
    await until(updated, 'InPlaceUpdateFailed');
    await temporal.skip(13 * minutes);
    expect(updated.phase).toBe('InPlaceUpdateFailed');
    updated.hold = undefined;
    await temporal.skip(2 * minutes);
    await until(updated, 'Failed');
  });
});

test('a deletion in the middle ends the drain, and drains for itself', async () => {
  const { world, updated } = await create();
  updated.drain = async ({ isForUpdate }) => (isForUpdate ? await hang() : {});
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await until(updated, 'drain for update');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(updated.done.slice(2)).toEqual(['drain for update', 'drain']);
  });
});

test.each<[taken: InPlaceNode, last: string]>([
  [{ isSelected: false }, 'CandidateForUpdate'],
  [{ isSelected: false, isCandidate: false }, 'removed'],
])('labels that become %j end the drain: %s', async (taken, last) => {
  const { world, updated } = await create();
  updated.drain = hang;
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await until(updated, 'drain for update');
    await updated.say(world, taken);
    await until(updated, last);
    updated.drain = async () => ({});
    await updated.say(world, selected);
    await until(updated, 'ReadyForUpdate');
    expect(world.log.count('drainNode')).toBe(2);
  });
});

test('a Node that was not drained is drained again later, and at once when a person says so', async () => {
  const { world, updated } = await create();
  updated.drain = async () => ({ isEmptied: false });
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await world.log.until('drainNode');
    await temporal.skip(3 * minutes);
    const attempts = world.log.count('drainNode');
    expect(attempts).toBeGreaterThan(3);
    expect(attempts).toBeLessThan(10);
    updated.drain = hang;
    await world.handle.executeUpdate(machineCommands.retryNow.update, { args: [{}] });
    await world.log.until('drainNode', attempts + 1);
    updated.drain = async () => ({});
    await world.handle.signal(machineCommands.retryNow.signal, {});
    await until(updated, 'ReadyForUpdate');
  });
});

test.each(['outOfReach', 'refused'] as const)(
  'where a write is %s it is tried again, later each time',
  async (fails) => {
    const { world, updated } = await create();
    updated.fails = fails;
    await world.run(async () => {
      await world.beginAndJoin();
      await updated.say(world, selected);
      await world.log.until('updateInPlace');
      await temporal.skip(10 * minutes);
      const attempts = world.log.count('updateInPlace');
      expect(attempts).toBeGreaterThan(4);
      expect(attempts).toBeLessThan(15);
      updated.fails = undefined;
      await temporal.skip(4 * minutes);
      await until(updated, 'ReadyForUpdate');
    });
  },
);

/** The workflow was lost, or MCM did the steps until there. */
test.each<[phase: JoinedPhase, reason: InPlaceReason | undefined, next: string[]]>([
  ['Running', undefined, toReady],
  ['Running', 'CandidateForUpdate', toReady.slice(1)],
  ['Running', 'SelectedForUpdate', toReady.slice(2)],
  ['InPlaceUpdating', 'SelectedForUpdate', toReady.slice(4)],
  ['Running', 'DrainSuccessful', ['InPlaceUpdating', 'ReadyForUpdate']],
  ['InPlaceUpdating', 'DrainSuccessful', toReady.slice(5)],
  ['InPlaceUpdating', 'ReadyForUpdate', []],
  ['InPlaceUpdateFailed', 'ReadyForUpdate', []],
])(
  'taken over from MCM as %s and %s it comes to the agent, and goes on',
  async (phase, reason, next) => {
    const { world, updated } = await create();
    updated.phase = phase;
    updated.node = { ...selected, ...(reason && { reason, since: 5_000_000 }) };
    await world.run(async () => {
      updated.phaseSince = await temporal.now();
      await updated.takeOver(world);
      await eventually('the agent may begin', async () => updated.node.reason === 'ReadyForUpdate');
      expect(updated.done).toEqual(next);
      await updated.say(world, { result: 'successful' });
      await until(updated, 'Running');
      expect(updated.done).toEqual([...next, ...toEnd]);
    });
  },
);

test('a person has it tried again, which gives the agent its time anew', async () => {
  const { world, updated } = await create(() => updated.retry());
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await until(updated, 'ReadyForUpdate');
    const early = world.handle.executeUpdate(machineCommands.retryUpdate.update, { args: [{}] });
    await expect(early).rejects.toThrow(/./);
    await updated.say(world, { result: 'failed' });
    await until(updated, 'InPlaceUpdateFailed');
    await temporal.skip(9 * minutes);
    await world.handle.executeUpdate(machineCommands.retryUpdate.update, { args: [{}] });
    await until(updated, 'ReadyForUpdate');
    await world.phase('InPlaceUpdating');
    await temporal.skip(18 * minutes);
    expect(updated.phase).toBe('InPlaceUpdating');
    await updated.say(world, { result: 'successful' });
    await until(updated, 'Running');
  });
});

test('a person gives an update up, and the machine fails at once', async () => {
  const { world, updated } = await create(() => {
    updated.phase = 'Failed';
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await updated.say(world, selected);
    await until(updated, 'ReadyForUpdate');
    await updated.say(world, { result: 'failed' });
    await until(updated, 'InPlaceUpdateFailed');
    await world.handle.executeUpdate(machineCommands.giveUpUpdate.update, { args: [{}] });
    await world.phase('Failed');
    expect(updated.node.reason).toBe('UpdateFailed');
  });
});
