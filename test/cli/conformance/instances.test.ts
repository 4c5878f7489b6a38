/** What the kit says of listings and deletions. */
import { deletionChecks } from '../../../cli/driver/conformance/checks/deletion.ts';
import { listingChecks } from '../../../cli/driver/conformance/checks/listing.ts';
import { DriverUnderTest } from '../../../cli/driver/conformance/driver-under-test.ts';
import { Trial } from '../../../cli/driver/conformance/trial.ts';
import type { Question } from '../../../cli/driver/conformance/workflow.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

/** What the check says of a driver that answers so; undefined when it is content. */
async function saidOf(
  says: string,
  answerTo: (question: Question) => unknown,
): Promise<string | undefined> {
  const asker = {
    rest: async () => undefined,
    ask: async (question: Question) => ({ came: 'answer', answer: answerTo(question) }) as const,
  };
  const driver = new DriverUnderTest(asker, { queue: 'queue', cluster: 'c', namespace });
  const about = { run: 'verify-1', namespace, cluster: 'c', secret: {}, badSpecs: [] };
  const kube = new InMemoryClient();
  const trial = new Trial({ ...about, driver, kube, machineClass: aMachineClass() });
  trial.first.providerID = 'acme:///i-1';
  trial.newMachine().providerID = 'acme:///i-2';
  const check = [...listingChecks, ...deletionChecks].find((one) => one.says.startsWith(says));
  if (check === undefined) throw new Error(`no check ${says}`);
  return await check.run(trial).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe('the time of a listed instance', () => {
  const made = Date.UTC(2026, 10, 27);
  test.each([
    { unit: 'milliseconds', createdAt: made, said: undefined },
    { unit: 'nothing', said: undefined },
    { unit: 'seconds', createdAt: made / 1e3, said: 'expected createdAt in milliseconds, or none' },
    {
      unit: 'nanoseconds',
      createdAt: made * 1e6,
      said: 'expected createdAt in milliseconds, or none',
    },
  ])('in $unit: $said', async ({ createdAt, said }) => {
    const one = { providerID: 'acme:///i-1', machineName: 'verify-1-1', createdAt };
    const listed = JSON.parse(JSON.stringify({ outcome: 'listed', instances: [one] }));
    expect(await saidOf('lists when they were made', () => listed)).toBe(said);
  });
});

describe('a listed instance that is deleted', () => {
  const found = { outcome: 'found', instance: { providerID: 'acme:///i-2', nodeName: 'i-2' } };
  const missing = { outcome: 'missing', settleSeconds: 0 };
  const taken = { outcome: 'deleted', isFound: true, settleSeconds: 0 };
  const deletes = 'deletes exactly the instance that was listed';

  test('may be there for a while: the contract lets the driver answer before', async () => {
    const looks = [found, found, missing];
    const said = await saidOf(deletes, ({ activity }) =>
      activity === 'deleteListed' ? taken : looks.shift(),
    );
    expect(said).toBeUndefined();
    expect(looks).toEqual([]);
  });

  test('must go', async () => {
    const said = await saidOf(deletes, ({ activity }) =>
      activity === 'deleteListed' ? taken : found,
    );
    expect(said).toBe('expected outcome missing');
  });
});

describe('an instance that another machine names', () => {
  const found = { outcome: 'found', instance: { providerID: 'acme:///i-1', nodeName: 'i-1' } };
  const missing = { outcome: 'missing', settleSeconds: 0 };
  const deletes = 'deletes nothing for a machine that names the instance of another one';
  const failure = { code: 'FailedPrecondition', message: 'not ours', isSettled: false };

  test.each([
    [undefined, { outcome: 'failed', failure }, found],
    [undefined, { outcome: 'deleted', isFound: false, settleSeconds: 0 }, found],
    [
      'expected acme:///i-1 of verify-1-1, still there',
      { outcome: 'deleted', isFound: true, settleSeconds: 0 },
      missing,
    ],
  ])('stays: %s', async (said, came, after) => {
    const asked: Question[] = [];
    const words = await saidOf(deletes, (question) => {
      asked.push(question);
      return question.activity === 'deleteInstance' ? came : after;
    });
    expect(words).toBe(said);
    expect(asked[0]?.input).toMatchObject({
      machine: { name: 'verify-1-3' },
      providerID: 'acme:///i-1',
    });
  });
});
