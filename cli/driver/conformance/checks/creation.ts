/** One instance for each machine, however often and in whatever way it is asked for. */
import type { CreateOutcome } from '../../../../workflows/contracts/driver-contract.ts';
import type { Input } from '../driver-under-test.ts';
import type { Asked, Trial } from '../trial.ts';
import { instanceOf } from '../trial.ts';
import { expectPart, Mismatch, Skipped } from '../verdict.ts';
import type { Interruption } from '../temporal.ts';
import type { Check } from './check.ts';
import { untilListedOnce } from './listing.ts';

export const creationChecks: Check[] = [
  {
    says: 'finds nothing before there is anything',
    async run(trial) {
      const came = await trial.driver.ask('describeInstance', trial.first.request);
      if (came.outcome !== 'missing') throw new Mismatch('outcome missing', came);
      trial.settleSeconds = came.settleSeconds;
    },
  },
  {
    says: 'deletes nothing where there is nothing, and calls it a success',
    async run({ driver, first }) {
      const came = await driver.ask('deleteInstance', first.request);
      expectPart('outcome deleted, isFound false', came, { outcome: 'deleted', isFound: false });
    },
  },
  {
    says: 'creates an instance, and initialises it',
    async run({ driver, first }) {
      const came = await driver.ask('createInstance', first.request);
      noteInstance(first, came);
      expectPart('outcome created, isFound false', came, {
        outcome: 'created',
        instance: { isFound: false },
      });
    },
  },
  {
    says: 'finds it by token or name',
    async run({ driver, first }) {
      const providerID = instanceOf(first);
      const came = await driver.ask('describeInstance', first.request);
      expectPart(`${providerID}, found`, came, { outcome: 'found', instance: { providerID } });
    },
  },
  {
    says: 'finds it by providerID',
    async run({ driver, first }) {
      const providerID = instanceOf(first);
      const came = await driver.ask('describeInstance', { ...first.request, providerID });
      expectPart(`${providerID}, found`, came, { outcome: 'found', instance: { providerID } });
    },
  },
  {
    says: 'creates again with the same token: the same instance',
    run: ({ driver, first }) => expectSame(driver, first, first.request),
  },
  {
    says: 'creates again with its providerID: the same instance',
    run: ({ driver, first }) =>
      expectSame(driver, first, { ...first.request, providerID: instanceOf(first) }),
  },
  {
    says: 'creates again with the next token of the machine: finds it by name and tags',
    run: ({ driver, first }) =>
      expectSame(driver, first, { ...first.request, token: `${first.request.machine.uid}-1` }),
  },
  { says: 'two creates at once make one instance', run: createTwiceAtOnce },
  {
    says: 'a create whose answer is lost, and the next one, make one instance',
    run: loseAnswer,
  },
  {
    says: 'a create that is cancelled, and the next one, make one instance',
    async run(trial) {
      await createDisturbed(trial, 'cancel');
    },
  },
];

function noteInstance(asked: Asked, came: CreateOutcome): void {
  if (came.outcome === 'created') asked.providerID ??= came.instance.providerID;
}

async function expectSame(
  driver: Trial['driver'],
  asked: Asked,
  request: Input<'createInstance'>,
): Promise<void> {
  const providerID = instanceOf(asked);
  const came = await driver.ask('createInstance', { ...request, isRetry: true });
  expectPart(`${providerID}, isFound true`, came, {
    outcome: 'created',
    instance: { providerID, isFound: true },
  });
}

async function createTwiceAtOnce(trial: Trial): Promise<void> {
  instanceOf(trial.first);
  const { driver } = trial;
  const second = trial.newMachine();
  const answers = await Promise.all([
    driver.ask('createInstance', second.request),
    driver.ask('createInstance', second.request),
  ]);
  for (const came of answers) {
    noteInstance(second, came);
    expectUnsettled(came);
  }
  const providerID = await createdAtLast(trial, second);
  for (const came of answers) {
    if (came.outcome === 'created') expectPart(providerID, came, { instance: { providerID } });
  }
  await untilListedOnce(trial, second);
}

/** One of two calls may be answered "wait", but neither may be answered that nothing was made. */
function expectUnsettled(came: CreateOutcome): void {
  if (came.outcome === 'failed' && came.failure.isSettled) {
    throw new Mismatch('outcome created, or a failure that is not settled', came);
  }
}

/** A quick driver may have answered before. */
const lossTriesMax = 3;

async function loseAnswer(trial: Trial): Promise<void> {
  for (let attempt = 1; attempt <= lossTriesMax; attempt += 1) {
    if ((await createDisturbed(trial, 'lose')) === undefined) return;
  }
  throw new Skipped(`${lossTriesMax} times it had answered before the answer could be lost`);
}

async function createDisturbed(
  trial: Trial,
  interruption: Interruption,
): Promise<CreateOutcome | undefined> {
  instanceOf(trial.first);
  const asked = trial.newMachine();
  const came = await trial.driver.askInVain('createInstance', asked.request, interruption);
  if (came) expectUnsettled(came);
  await createdAtLast(trial, asked);
  await untilListedOnce(trial, asked);
  return came;
}

/** As the core does after an unsettled failure: the same token until the outcome is known. */
export async function createdAtLast({ driver }: Trial, asked: Asked): Promise<string> {
  const triesMax = 5;
  for (let attempt = 1; ; attempt += 1) {
    const came = await driver.ask('createInstance', { ...asked.request, isRetry: true });
    noteInstance(asked, came);
    if (came.outcome === 'created') return came.instance.providerID;
    expectUnsettled(came);
    if (attempt === triesMax) throw new Mismatch(`an instance after ${triesMax} tries`, came);
  }
}
