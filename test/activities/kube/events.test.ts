import { expect, test } from '@jest/globals';
import { recordEvent } from '../../../activities/kube/events.ts';
import { namespaced } from '../../../activities/kube/paths.ts';
import { namespace } from '../../support/builders.ts';
import { MemoryKube } from '../../support/memory-kube.ts';

const subject = { apiVersion: 'v1', kind: 'Machine', namespace, name: 'pool-a', uid: 'uid-1' };
const text = {
  type: 'Warning',
  reason: 'FailedCreate',
  message: 'no room',
  component: 'machine-controller',
} as const;
const path = namespaced('events', namespace);

async function eventsIn(client: MemoryKube): Promise<object[]> {
  return (await client.list<object>(path)).items;
}

test('an Event says what happened to which life of the object', async () => {
  const client = new MemoryKube();
  await recordEvent(client, subject, text);
  expect(await eventsIn(client)).toMatchObject([
    {
      metadata: { namespace, name: expect.stringMatching(/^pool-a\.[0-9a-f]{16}$/) },
      involvedObject: subject,
      type: 'Warning',
      reason: 'FailedCreate',
      message: 'no room',
      source: { component: 'machine-controller' },
      count: 1,
      firstTimestamp: expect.stringMatching(/^[-\d]+T[:\d]+Z$/),
    },
  ]);
});

test('the same event is counted, and keeps the time when it was first', async () => {
  const client = new MemoryKube();
  await recordEvent(client, subject, text);
  const [first] = (await client.list<{ firstTimestamp: string }>(path)).items;
  await recordEvent(client, subject, text);
  await recordEvent(client, subject, text);
  expect(await eventsIn(client)).toMatchObject([
    { count: 3, firstTimestamp: first?.firstTimestamp },
  ]);
});

test.each([
  { name: 'other words', other: subject, words: { ...text, message: 'no quota' } },
  { name: 'another reason', other: subject, words: { ...text, reason: 'FailedDelete' } },
  { name: 'another life of the name', other: { ...subject, uid: 'uid-2' }, words: text },
])('$name: another Event', async ({ other, words }) => {
  const client = new MemoryKube();
  await recordEvent(client, subject, text);
  await recordEvent(client, other, words);
  expect(await eventsIn(client)).toMatchObject([{ count: 1 }, { count: 1 }]);
});

test('a long message is cut to what the API server takes, and counted as a whole', async () => {
  const client = new MemoryKube();
  const long = { ...text, message: 'x'.repeat(1100) };
  await recordEvent(client, subject, long);
  await recordEvent(client, subject, { ...long, message: `${long.message}y` });
  expect(await eventsIn(client)).toMatchObject([
    { message: 'x'.repeat(1024), count: 1 },
    { message: 'x'.repeat(1024), count: 1 },
  ]);
});

test('one that expires while it is counted is no failure', async () => {
  const client = new MemoryKube();
  await recordEvent(client, subject, text);
  client.fault = ({ method }) => (method === 'GET' ? { code: 404, reason: 'NotFound' } : undefined);
  await expect(recordEvent(client, subject, text)).resolves.toBeUndefined();
});

test.each(['POST', 'GET', 'PATCH'])('a refused %s is the failure of the step', async (refused) => {
  const client = new MemoryKube();
  await recordEvent(client, subject, text);
  client.fault = ({ method }) =>
    method === refused ? { code: 403, reason: 'Forbidden' } : undefined;
  await expect(recordEvent(client, subject, text)).rejects.toThrow('Forbidden');
});
