/** What an instance printed that did not join in time: asked once, and never waited for long. */
import { ApplicationFailure } from '@temporalio/common';
import { consoleOutputBy } from '../../../workflows/contracts/driver-answers.ts';
import { machineDetails } from '../../../workflows/machine/details.ts';
import {
  noteConsoleOutput,
  shortenConsoleOutput,
} from '../../../workflows/machine/console-output.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';
import { resultOf } from '../../support/result-of.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { hang, instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

/** To the moment when the machine has turned Failed. */
async function untilFailed(world: MachineWorld): Promise<void> {
  await world.begin();
  await world.phase('Pending');
  await temporal.skip(1_210);
  await world.phase('Failed');
}

test('it is asked for once, before the machine turns Failed, and handed on', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await untilFailed(world);
    const [asked] = world.log.inputsOf('getConsoleOutput');
    const { providerID } = instance;
    expect(asked).toMatchObject({ machine: { uid: 'uid-1' }, providerID, className: 'small' });
    const [written] = world.log.inputsOf('recordTimeout');
    expect(written?.consoleOutput).toEqual({ text: 'kubelet: unauthorized' });
    const names = world.log.names();
    expect(names.slice(names.indexOf('getConsoleOutput'))).toEqual([
      'getConsoleOutput',
      'recordTimeout',
    ]);
  });
});

test('its end stays in the state and in the result, when the machine is gone', async () => {
  const text = `${'x'.repeat(100)}\n`.repeat(30);
  const world = await MachineWorld.create(temporal, {
    getConsoleOutput: async () => ({ outcome: 'read', text: `${text}the end` }),
  });
  await world.run(async () => {
    await untilFailed(world);
    const [written] = world.log.inputsOf('recordTimeout');
    expect(written?.consoleOutput).toEqual({ text: `${text}the end` });
    const { consoleOutput } = await world.state();
    expect(consoleOutput).toMatchObject({ text: expect.stringMatching(/x\nthe end$/) });
    expect(JSON.stringify(consoleOutput).length).toBeLessThan(1_000);
    await world.requestDeletion();
    const result = await resultOf(world.handle);
    expect(result.consoleOutput).toMatch(/x\nthe end$/);
  });
});

async function exception(): Promise<never> {
  throw ApplicationFailure.create({ message: 'broken' });
}

async function notServed(): Promise<never> {
  throw ApplicationFailure.create({ type: 'NotFoundError', message: 'not registered' });
}

async function notServedInJava(): Promise<never> {
  const message = 'Activity Type "getConsoleOutput" is not registered with a worker. Known types: ';
  throw ApplicationFailure.create({ type: 'java.lang.IllegalArgumentException', message });
}

/** An exception of the driver's own. */
async function notFoundInPython(): Promise<never> {
  throw ApplicationFailure.create({ type: 'NotFoundError', message: 'no such server' });
}

describe('a console that is not to be had keeps no machine from turning Failed', () => {
  const failure = { code: 'PermissionDenied', message: 'no right', isSettled: true } as const;
  test.each([
    [
      'refused',
      async () => ({ outcome: 'failed', failure }) as const,
      /^PermissionDenied: no right$/,
    ],
    [
      'empty',
      async () => ({ outcome: 'read', text: '' }) as const,
      /^the cloud has no output of it$/,
    ],
    ['hangs', hang, /^Unknown: no answer in time$/],
    ['throws', exception, /^Unknown: broken$/],
    ['is not served', notServed, /^Unimplemented: the driver does not serve getConsoleOutput$/],
    ['is not served in Java', notServedInJava, /^Unimplemented: the driver does not serve/],
    ['throws an exception of that name', notFoundInPython, /^Unknown: no such server$/],
  ])('%s', async (_what, getConsoleOutput, reason) => {
    const world = await MachineWorld.create(temporal, { getConsoleOutput });
    await world.run(async () => {
      await untilFailed(world);
      const [written] = world.log.inputsOf('recordTimeout');
      expect(written?.consoleOutput).toEqual({ reason: expect.stringMatching(reason) });
      expect(world.log.count('getConsoleOutput')).toBe(1);
      const { failure: noted, phase } = await world.state();
      expect({ noted, phase }).toEqual({ noted: undefined, phase: 'Failed' });
    });
  });
});

test('a Node that joins meanwhile ends the look, and the machine is Running', async () => {
  const world = await MachineWorld.create(temporal, { getConsoleOutput: hang });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await temporal.skip(1_201);
    await world.log.until('getConsoleOutput');
    await world.joinNode();
    await world.phase('Running');
    expect(world.log.count('recordTimeout')).toBe(0);
    expect((await world.state()).consoleOutput).toBeUndefined();
  });
});

test('a deletion does not wait for the look', async () => {
  const world = await MachineWorld.create(temporal, { getConsoleOutput: hang });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await temporal.skip(1_201);
    await world.log.until('getConsoleOutput');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('recordTimeout')).toBe(0);
    expect(world.log.count('deleteInstance')).toBe(1);
  });
});

test('a machine that was given more time is asked again at its new deadline', async () => {
  let isLater = false;
  const world = await MachineWorld.create(temporal, {
    recordTimeout: async () => {
      if (isLater) return { found: 'tooLate' };
      isLater = true;
      const limits = { ...world.object.limits, creationTimeoutSeconds: 2_400 };
      return { found: 'moreTime', machine: { ...world.read(), limits } };
    },
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await temporal.skip(2_410);
    await world.phase('Failed');
    expect(world.log.count('getConsoleOutput')).toBe(2);
  });
});

test('the page shows the end as a code block, or why there is none', () => {
  const state = newMachineState(0);
  const page = (): string =>
    machineDetails({ namespace: 'shoot', name: 'pool-1' }, state, { action: 'wait', reason: 'w' });
  noteConsoleOutput(state, { outcome: 'read', text: 'a\n```b' }, 60_000);
  expect(page()).toContain(
    '- **Console of the instance**, its end at 1970-01-01T00:01:00Z:\n\n    a\n    ```b',
  );
  noteConsoleOutput(state, { outcome: 'read', text: '' }, 60_000);
  shortenConsoleOutput(state);
  expect(page()).toContain(
    '- **Console of the instance** not read at 1970-01-01T00:01:00Z: the cloud has no output of it',
  );
});

describe('the answer of a driver', () => {
  const context = { provider: 'acme', usesTarget: true, isCancelled: false };
  test('of a text the end counts', () => {
    const given = { outcome: 'read', text: `${'€'.repeat(9_000)}end` } as const;
    const { text } = { text: '', ...consoleOutputBy(given, context) };
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    expect(text).toMatch(/€end$/);
  });

  test.each([
    [{ outcome: 'read', text: 7 }, 'text: 7: must be a text'],
    [{ outcome: 'seen' }, 'outcome: "seen": must be read or failed'],
    [undefined, 'must be read or failed'],
  ])('%j makes no sense', (answer, says) => {
    const came = consoleOutputBy(Object(answer), context);
    expect(came).toMatchObject({ outcome: 'failed', failure: { code: 'Internal' } });
    expect(JSON.stringify(came)).toContain(says.replaceAll('"', String.raw`\"`));
  });
});
