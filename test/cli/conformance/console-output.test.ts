/** What the kit says of a driver's console. */
import { consoleChecks } from '../../../cli/driver/conformance/checks/console-output.ts';
import { DriverUnderTest } from '../../../cli/driver/conformance/driver-under-test.ts';
import { Trial } from '../../../cli/driver/conformance/trial.ts';
import type { Reply } from '../../../cli/driver/conformance/workflow.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

/** The words of each check that does not pass. */
async function saidOf(answer: Reply | ((hasId: boolean) => unknown)): Promise<string[]> {
  const asker = {
    rest: async () => undefined,
    ask: async ({ input }: { input: unknown }): Promise<Reply> => {
      if (typeof answer !== 'function') return answer;
      return { came: 'answer', answer: answer(Object(input).providerID !== undefined) };
    },
  };
  const driver = new DriverUnderTest(asker, { queue: 'queue', cluster: 'c', namespace });
  const about = { run: 'verify-1', namespace, cluster: 'c', secret: {}, badSpecs: [] };
  const kube = new InMemoryClient();
  const trial = new Trial({ ...about, driver, kube, machineClass: aMachineClass() });
  trial.first.providerID = 'local:///a/i-1';
  const said: string[] = [];
  for (const { run } of consoleChecks) {
    await run(trial).catch((error: unknown) =>
      said.push(error instanceof Error ? error.message : String(error)),
    );
  }
  return said;
}

const failed = (code: string) => ({
  outcome: 'failed',
  failure: { code, message: 'm', isSettled: true },
});
const withText = (text: string) => (hasId: boolean) =>
  hasId ? { outcome: 'read', text } : failed('NotFound');

const notOffered = 'the driver does not offer it, and need not';

test('a driver that offers it and knows its instances passes', async () => {
  expect(await saidOf(withText('boot\n\tend'))).toEqual([]);
});

test.each<[string, Reply | ((hasId: boolean) => unknown)]>([
  ['does not serve it', { came: 'notServed', message: 'not registered' }],
  ['says that it is not implemented', () => failed('Unimplemented')],
])('a driver that %s is fine', async (_what, answer) => {
  expect(await saidOf(answer)).toEqual([notOffered, notOffered]);
});

test.each([
  ['a text that is too long', withText('€'.repeat(2_000)), 'expected at most 4096 bytes'],
  ['a colour', withText('\u001B[1m'), 'expected tabs and line feeds only'],
])('%s is found', async (_what, answer, says) => {
  expect(await saidOf(answer)).toEqual([says]);
});

test('a console that is refused for want of a right is skipped, and one of nothing is found', async () => {
  expect(await saidOf(() => failed('PermissionDenied'))).toEqual([
    'PermissionDenied: m',
    'expected failed with NotFound',
  ]);
});
