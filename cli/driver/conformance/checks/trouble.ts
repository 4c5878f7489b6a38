/**
 * A cloud that is silent, that is not the cloud at all, or whose instances die: nothing is lost,
 * and nothing is taken for gone.
 */
import type { MachineFailure } from '../../../../workflows/plan/machine/facts.ts';
import type { Trial } from '../trial.ts';
import { instanceOf } from '../trial.ts';
import { troubles, type Trouble } from '../trouble.ts';
import { Mismatch, Skipped } from '../verdict.ts';
import type { Check } from './check.ts';
import { createdAtLast } from './creation.ts';

export const troubleChecks: Check[] = [
  {
    says: 'a cloud that never answers: calls end within their limit, and the next ones are answered',
    run: (trial) => during(trial, 'silent', endWithoutAnswers),
  },
  {
    says: 'an HTML page with status 404: nothing is taken for missing, deleted or listed',
    run: (trial) => during(trial, 'stranger', believeNoStranger),
  },
  {
    says: 'an instance that dies right after its create: a failure that says why',
    run: (trial) => during(trial, 'dying', reportsDeath),
  },
];

/** `work` makes its calls in the trouble, and returns what is to be done once it is over. */
async function during(
  trial: Trial,
  kind: Parameters<Trouble>[0],
  work: (trial: Trial) => Promise<() => Promise<void>>,
): Promise<void> {
  const { trouble } = trial.parts;
  if (!trouble) throw new Skipped(`give --trouble a command by which ${troubles[kind]}`);
  instanceOf(trial.first);
  await trouble(kind);
  const afterwards = await untilOver(trouble, () => work(trial));
  await afterwards();
}

async function untilOver<Result>(trouble: Trouble, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await trouble('over');
  }
}

/** Together: one call that waits must not make the other wait longer. */
async function endWithoutAnswers(trial: Trial): Promise<() => Promise<void>> {
  const { driver, first } = trial;
  const asked = trial.newMachine();
  const providerID = instanceOf(first);
  const [described, created] = await Promise.all([
    driver.ask('describeInstance', { ...first.request, providerID }),
    driver.ask('createInstance', asked.request),
  ]);
  expectNoAnswer(described);
  expectNoAnswer(created);
  return async () => {
    await createdAtLast(trial, asked);
  };
}

/** Neither the class nor the cloud said no. */
function expectNoAnswer(came: { outcome: string; failure?: MachineFailure }): void {
  const { code } = came.failure ?? {};
  if (code === 'DeadlineExceeded' || code === 'Unavailable') return;
  throw new Mismatch('a failure DeadlineExceeded or Unavailable', came);
}

async function believeNoStranger(trial: Trial): Promise<() => Promise<void>> {
  const { driver, first } = trial;
  const request = { ...first.request, providerID: instanceOf(first) };
  expectFailed('describeInstance', await driver.ask('describeInstance', request));
  expectFailed('deleteInstance', await driver.ask('deleteInstance', request));
  expectFailed('listInstances', await driver.ask('listInstances', trial.listRequest()));
  return async () => {
    const came = await driver.ask('describeInstance', request);
    if (came.outcome !== 'found') throw new Mismatch('the instance, which was not deleted', came);
  };
}

function expectFailed(activity: string, came: { outcome: string }): void {
  if (came.outcome !== 'failed') throw new Mismatch(`outcome failed of ${activity}`, came);
}

async function reportsDeath(trial: Trial): Promise<() => Promise<void>> {
  const asked = trial.newMachine();
  const came = await trial.driver.ask('createInstance', asked.request);
  expectFailed('createInstance', came);
  return async () => undefined;
}
