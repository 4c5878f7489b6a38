import { expect, test } from 'vitest';
import { readArguments, UsageError } from '../../cli/arguments.ts';
import { resume, showStop, stop } from '../../cli/stop.ts';
import type { StopObject } from '../../activities/kube/objects/global-stop.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';

const path = '/api/v1/namespaces/shoot/configmaps/millwright-stop';
const asked = { reason: 'wrong disks', by: 'alice', isJson: false };

function aPlace() {
  return { kube: new InMemoryClient(), namespace: 'shoot' };
}

test('a stop is a ConfigMap that says why and who', async () => {
  const place = aPlace();
  const text = await stop(place, asked);
  const { data } = await place.kube.read<StopObject>(path);
  expect(data).toEqual({ reason: 'wrong disks', by: 'alice' });
  expect(text).toMatch(/^shoot is stopped since .* by alice: wrong disks\n.*millwright resume/);
});

test('a second stop gives a new reason and forgets who gave the first', async () => {
  const place = aPlace();
  await stop(place, asked);
  await stop(place, { reason: 'still looking', by: undefined, isJson: false });
  expect((await place.kube.read<StopObject>(path)).data).toEqual({ reason: 'still looking' });
});

test('to resume says whether there was anything to end', async () => {
  const place = aPlace();
  await stop(place, asked);
  expect(await resume(place, { isJson: false })).toBe('shoot goes on.');
  expect(await resume(place, { isJson: false })).toBe('shoot was not stopped.');
  expect(await showStop(place, { isJson: false })).toBe('shoot is not stopped.');
});

test('millwright stop prints JSON for programs', async () => {
  const place = aPlace();
  const facts: unknown = JSON.parse(await stop(place, { ...asked, isJson: true }));
  expect(facts).toMatchObject({ namespace: 'shoot', isStopped: true, by: 'alice' });
  const after: unknown = JSON.parse(await resume(place, { isJson: true }));
  expect(after).toEqual({ namespace: 'shoot', isStopped: false, wasStopped: true });
});

test.each([
  { name: 'a stop without a reason', argv: ['stop'], says: /--reason is missing/ },
  { name: 'an empty reason', argv: ['stop', '--reason', ' '], says: /--reason is missing/ },
  { name: 'an unknown command', argv: ['halt'], says: /command "halt" is not known/ },
  { name: 'an unknown option', argv: ['stop', '--why=x'], says: /--why/ },
  { name: 'too many words', argv: ['resume', 'now'], says: /"now" is too much/ },
  { name: 'an unknown format', argv: ['resume', '-o', 'xml'], says: /--output is "xml"/ },
])('millwright stop refuses $name in words', ({ argv, says }) => {
  expect(() => readArguments(argv)).toThrow(UsageError);
  expect(() => readArguments(argv)).toThrow(says);
});

test('the command line names the namespace and the kubeconfig', () => {
  expect(readArguments(['resume', '-n', 'shoot', '--kubeconfig=a.yaml', '-o', 'json'])).toEqual({
    command: 'resume',
    namespace: 'shoot',
    kubeconfig: 'a.yaml',
    isJson: true,
  });
  expect(readArguments([])).toEqual({ command: 'help' });
});
