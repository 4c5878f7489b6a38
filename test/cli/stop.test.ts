import { CommanderError } from 'commander';
import { readArguments } from '../support/command-line.ts';
import { showStop, start, stop } from '../../cli/stop/stop.ts';
import type { StopObject } from '../../kube/objects/global-stop.ts';
import { holderAnnotation } from '../../kube/leases/observed-lease.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';

const path = '/api/v1/namespaces/shoot/configmaps/millwright-stop';
const asked = { reason: 'wrong disks', by: 'alice' };

function aPlace() {
  return { kube: new InMemoryClient(), namespace: 'shoot' };
}

test('a stop is a ConfigMap that says why and who', async () => {
  const place = aPlace();
  const { text } = await stop(place, asked);
  const { data } = await place.kube.read<StopObject>(path);
  expect(data).toEqual({ reason: 'wrong disks', by: 'alice' });
  expect(text).toMatch(/^shoot is stopped since .* by alice: wrong disks\n.*millwright start/);
});

test('a second stop gives a new reason and forgets who gave the first', async () => {
  const place = aPlace();
  await stop(place, asked);
  await stop(place, { reason: 'still looking', by: undefined });
  expect((await place.kube.read<StopObject>(path)).data).toEqual({ reason: 'still looking' });
});

test('stop warns when no watcher leads in the namespace', async () => {
  const place = aPlace();
  const words = 'No watcher of Millwright leads in shoot';
  expect((await stop(place, asked)).text).toContain(words);
  place.kube.put({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: 'machine-controller-manager',
      namespace: 'shoot',
      annotations: { [holderAnnotation]: 'watcher-1' },
    },
    spec: { holderIdentity: 'watcher-1', renewTime: new Date().toISOString() },
  });
  expect((await stop(place, asked)).text).not.toContain(words);
});

test('where Leases may not be read, a stop is made and says no more', async () => {
  const place = aPlace();
  place.kube.fault = ({ path: at }) =>
    at.includes('/leases/') ? { code: 403, reason: 'Forbidden' } : undefined;
  expect((await stop(place, asked)).text).toMatch(/millwright start -n shoot$/);
});

test('a stop that was made and cannot be read is no failure', async () => {
  const place = aPlace();
  place.kube.fault = ({ method, path: at }) =>
    method === 'GET' && at === path ? { code: 403, reason: 'Forbidden' } : undefined;
  const { text, data, exitCode } = await stop(place, asked);
  expect(place.kube.writes()).toHaveLength(1);
  expect(text).toMatch(/^shoot is stopped\. .* cannot be read: .*\n.*start -n shoot/);
  expect([data, exitCode]).toEqual([{ namespace: 'shoot', isStopped: true }, undefined]);
});

test('what others wrote as a reason does not act on the terminal', async () => {
  const place = aPlace();
  await stop(place, { reason: 'a\u001b[2Jb', by: 'alice\nbob' });
  const [first = ''] = (await showStop(place)).text.split('\n');
  expect(first).toMatch(/ by alice bob: a \[2Jb$/);
});

test('to start says whether there was anything to end', async () => {
  const place = aPlace();
  await stop(place, asked);
  expect(await start(place)).toMatchObject({ text: 'shoot goes on.' });
  expect(await start(place)).toMatchObject({ text: 'shoot was not stopped.' });
  expect(await showStop(place)).toMatchObject({ text: 'shoot is not stopped.' });
});

test('millwright stop has facts for programs', async () => {
  const place = aPlace();
  const { data } = await stop(place, asked);
  expect(data).toMatchObject({ namespace: 'shoot', isStopped: true, by: 'alice' });
  const after = await start(place);
  expect(after.data).toEqual({ namespace: 'shoot', isStopped: false, wasStopped: true });
});

test.each([
  { name: 'a stop without a reason', argv: ['stop'], says: /--reason is missing/ },
  { name: 'an empty reason', argv: ['stop', '--reason', ' '], says: /--reason is missing/ },
  { name: 'an unknown command', argv: ['halt'], says: /unknown command 'halt'/ },
  { name: 'an unknown option', argv: ['stop', '--why=x'], says: /--why/ },
  { name: 'too many words', argv: ['start', 'now'], says: /too many arguments/ },
  { name: 'an unknown format', argv: ['start', '-o', 'xml'], says: /'xml' is invalid/ },
])('millwright stop refuses $name in words', ({ argv, says }) => {
  expect(() => readArguments(argv)).toThrow(CommanderError);
  expect(() => readArguments(argv)).toThrow(says);
});

test('the command line names the namespace and the kubeconfig', () => {
  expect(readArguments(['start', '-n', 'shoot', '--kubeconfig=a.yaml', '-o', 'json'])).toEqual({
    namespace: 'shoot',
    kubeconfig: 'a.yaml',
    output: 'json',
  });
});
