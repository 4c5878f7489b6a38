/** Checks that what is deleted is gone, and stays so. */
import type { Asked, Trial } from '../trial.ts';
import { instanceOf } from '../trial.ts';
import { expectPart, Mismatch, Skipped } from '../verdict.ts';
import type { Check } from './check.ts';

const wasThere = { outcome: 'deleted', isFound: true };
const wasNotThere = { outcome: 'deleted', isFound: false };

export const deletionChecks: Check[] = [
  {
    says: 'deletes exactly the instance that was listed',
    async run(trial) {
      const second = secondOf(trial);
      const providerID = instanceOf(second);
      const request = { ...trial.listRequest(), providerID };
      expectPart('isFound true', await trial.driver.ask('deleteListed', request), wasThere);
      await untilMissing(trial, second);
    },
  },
  {
    says: 'deletes it again from the listing: nothing there is a success',
    async run(trial) {
      const request = { ...trial.listRequest(), providerID: instanceOf(secondOf(trial)) };
      expectPart('isFound false', await trial.driver.ask('deleteListed', request), wasNotThere);
    },
  },
  {
    says: 'deletes nothing for a machine that names the instance of another one by its providerID',
    async run(trial) {
      const { driver, first } = trial;
      const providerID = instanceOf(first);
      const { request } = trial.newMachine();
      const came = await driver.ask('deleteInstance', { ...request, providerID });
      const after = await driver.ask('describeInstance', { ...first.request, providerID });
      if (after.outcome !== 'found') {
        throw new Mismatch(`${providerID} of ${first.request.machine.name}, still there`, came);
      }
    },
  },
  {
    says: 'deletes an instance',
    async run({ driver, first }) {
      const providerID = instanceOf(first);
      const came = await driver.ask('deleteInstance', { ...first.request, providerID });
      expectPart('outcome deleted, isFound true', came, wasThere);
    },
  },
  {
    says: 'deletes it again: nothing there is a success',
    async run({ driver, first }) {
      const providerID = instanceOf(first);
      const came = await driver.ask('deleteInstance', { ...first.request, providerID });
      expectPart('outcome deleted, isFound false', came, wasNotThere);
    },
  },
  {
    says: 'deletes one whose providerID was never recorded: by token or name',
    async run(trial) {
      instanceOf(trial.first);
      const asked = trial.newMachine();
      const made = await trial.driver.ask('createInstance', asked.request);
      if (made.outcome !== 'created') throw new Mismatch('outcome created', made);
      asked.providerID = made.instance.providerID;
      const came = await trial.driver.ask('deleteInstance', asked.request);
      expectPart('outcome deleted, isFound true', came, wasThere);
      await expectMissing(trial, asked);
    },
  },
  {
    says: 'finds nothing once it is deleted, neither by name nor by providerID',
    async run(trial) {
      const { first } = trial;
      const providerID = instanceOf(first);
      await expectMissing(trial, first);
      const came = await trial.driver.ask('describeInstance', { ...first.request, providerID });
      expectPart('outcome missing', came, { outcome: 'missing' });
    },
  },
  {
    says: 'creates nothing for a providerID that there is not: NotFound, settled',
    async run(trial) {
      const providerID = instanceOf(trial.first);
      const { request } = trial.newMachine();
      const came = await trial.driver.ask('createInstance', { ...request, providerID });
      expectPart('a settled failure NotFound', came, {
        outcome: 'failed',
        failure: { code: 'NotFound', isSettled: true },
      });
    },
  },
  {
    says: 'creates nothing with a token that is spent: Aborted, settled',
    wants: 'token',
    run: createWithSpent,
  },
];

function secondOf({ asked }: Trial): Asked {
  const [, second] = asked;
  if (!second) throw new Skipped('no second instance was created');
  return second;
}

/** As many seconds as the cloud may be at work. */
const searchesMax = 300;

/** The cloud may only have taken the order: unlike deleteInstance it may answer before the end. */
async function untilMissing({ driver }: Trial, { request }: Asked): Promise<void> {
  for (let search = 1; ; search += 1) {
    const came = await driver.ask('describeInstance', request);
    if (came.outcome === 'missing') return;
    if (came.outcome !== 'found' || search >= searchesMax)
      throw new Mismatch('outcome missing', came);
    await driver.rest(1);
  }
}

async function expectMissing({ driver }: Trial, { request }: Asked): Promise<void> {
  const came = await driver.ask('describeInstance', request);
  expectPart('outcome missing', came, { outcome: 'missing' });
}

async function createWithSpent({ driver, first }: Trial): Promise<void> {
  // Skips where none was made.
  instanceOf(first);
  const came = await driver.ask('createInstance', { ...first.request, isRetry: true });
  if (came.outcome === 'created') {
    // Its providerID may be the old one, where that is made of the name.
    if (came.instance.isFound) throw new Mismatch('not the instance that is gone', came);
    throw new Skipped('this cloud does not remember tokens: it made another instance');
  }
  expectPart('a settled failure Aborted', came, {
    outcome: 'failed',
    failure: { code: 'Aborted', isSettled: true },
  });
}
