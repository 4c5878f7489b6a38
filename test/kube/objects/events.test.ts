import type { DropReason } from '../../../kube/objects/event-recorder.ts';
import { EventRecorder } from '../../../kube/objects/event-recorder.ts';
import type { EventSubject, EventText } from '../../../kube/objects/event.ts';
import { recordEvent, recorderOf, recordWith, writeEvent } from '../../../kube/objects/events.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { SpamFilter } from '../../../kube/objects/event-recorder.ts';
import { namespace } from '../../support/builders.ts';
import type { Fault } from '../../support/api-server/in-memory-client.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const subject = { apiVersion: 'v1', kind: 'Machine', namespace, name: 'pool-a', uid: 'uid-1' };
const text = {
  type: 'Warning',
  reason: 'FailedCreate',
  message: 'no room',
  component: 'machine-controller',
} as const;
const path = namespaced('events', namespace);

async function eventsIn(client: InMemoryClient): Promise<object[]> {
  await recorderOf(client).idle();
  return (await client.list<object>(path)).items;
}

/** Records it and waits until it is written. */
async function recorded(
  client: InMemoryClient,
  of: EventSubject = subject,
  words: EventText = text,
): Promise<void> {
  recordEvent(client, of, words);
  await recorderOf(client).idle();
}

/** A client whose dropped Events are noted. */
function counted(parts: { filter?: SpamFilter } = {}): {
  client: InMemoryClient;
  recorder: EventRecorder;
  dropped: DropReason[];
} {
  const client = new InMemoryClient();
  const dropped: DropReason[] = [];
  const recorder = new EventRecorder({
    write: (occurrence) => writeEvent(client, occurrence),
    onDropped: (reason) => dropped.push(reason),
    ...parts,
  });
  recordWith(client, recorder);
  return { client, recorder, dropped };
}

describe('an Event', () => {
  test('says what happened to which life of the object', async () => {
    const client = new InMemoryClient();
    await recorded(client);
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

  test('an Event that happens again is counted, and keeps the time when it was first', async () => {
    const client = new InMemoryClient();
    await recorded(client);
    const [first] = (await client.list<{ firstTimestamp: string }>(path)).items;
    await recorded(client);
    await recorded(client);
    expect(await eventsIn(client)).toMatchObject([
      { count: 3, firstTimestamp: first?.firstTimestamp },
    ]);
  });

  test.each([
    { name: 'other words', other: subject, words: { ...text, message: 'no quota' } },
    { name: 'another reason', other: subject, words: { ...text, reason: 'FailedDelete' } },
    { name: 'another life of the name', other: { ...subject, uid: 'uid-2' }, words: text },
  ])('with $name is another Event', async ({ other, words }) => {
    const client = new InMemoryClient();
    await recorded(client);
    await recorded(client, other, words);
    expect(await eventsIn(client)).toMatchObject([{ count: 1 }, { count: 1 }]);
  });

  test('with a long message is cut to what the API server takes, and counted as a whole', async () => {
    const client = new InMemoryClient();
    const long = { ...text, message: 'x'.repeat(1100) };
    await recorded(client, subject, long);
    await recorded(client, subject, { ...long, message: `${long.message}y` });
    expect(await eventsIn(client)).toMatchObject([
      { message: 'x'.repeat(1024), count: 1 },
      { message: 'x'.repeat(1024), count: 1 },
    ]);
  });

  test.each([
    { name: 'the longest name', object: 'a'.repeat(253), length: 253 },
    { name: 'a dash where it is cut', object: `${'a'.repeat(235)}-${'b'.repeat(17)}`, length: 252 },
    { name: 'dots where it is cut', object: `${'a'.repeat(230)}.-.-.-.-.-bb`, length: 247 },
  ])('on an object with $name has a name that the API server takes', async ({ object, length }) => {
    const client = new InMemoryClient();
    await recorded(client, { ...subject, name: object });
    const [event] = (await client.list<{ metadata: { name: string } }>(path)).items;
    const name = event?.metadata.name ?? '';
    expect(name).toHaveLength(length);
    for (const label of name.split('.')) expect(label).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  });

  test('an Event that expires while it is counted is written at its next occurrence', async () => {
    const { client, recorder, dropped } = counted();
    await recorded(client);
    client.fault = ({ method }) =>
      method === 'GET' ? { code: 404, reason: 'NotFound' } : undefined;
    recordEvent(client, subject, text);
    await recorder.idle();
    expect(dropped).toEqual([]);
  });
});

const quota = 'exceeded quota: events, requested: count/events=1, used: count/events=0, limited: 0';
const terminating = 'unable to create new content in namespace shoot: it is being terminated';

describe('an Event that cannot be written is dropped and counted:', () => {
  test.each<[name: string, verdict: ReturnType<Fault>, reason: DropReason]>([
    ['a quota of no Events', { code: 403, reason: 'Forbidden', message: quota }, 'refused'],
    [
      'a namespace that is going',
      { code: 403, reason: 'Forbidden', message: terminating },
      'refused',
    ],
    ['a webhook', { code: 422, reason: 'Invalid' }, 'refused'],
    ['a webhook out of reach', { code: 500, reason: 'InternalError' }, 'failed'],
    ['a limit on Events', { code: 429, reason: 'TooManyRequests' }, 'failed'],
    ['no answer', { code: 0, reason: 'Timeout' }, 'failed'],
  ])('%s', async (_name, verdict, reason) => {
    const { client, recorder, dropped } = counted();
    client.fault = ({ path: to }) => (to.startsWith(path) ? verdict : undefined);
    recordEvent(client, subject, text);
    await recorder.idle();
    expect(dropped).toEqual([reason]);
  });

  test.each(['GET', 'PATCH'])('the %s of one that is counted', async (refused) => {
    const { client, recorder, dropped } = counted();
    await recorded(client);
    client.fault = ({ method }) =>
      method === refused ? { code: 403, reason: 'Forbidden' } : undefined;
    recordEvent(client, subject, text);
    await recorder.idle();
    expect(dropped).toEqual(['refused']);
  });

  test('an object without a name', async () => {
    const { recorder, dropped } = counted();
    const nameless: EventSubject = JSON.parse('{"uid":"u"}');
    recorder.record({ subject: nameless, text, at: 0 });
    await recorder.idle();
    expect(dropped).toEqual(['failed']);
  });

  test('one object has more than its share, and another still has its own', async () => {
    const { client, recorder, dropped } = counted({
      filter: new SpamFilter({ burst: 2, refillMs: 60_000 }),
    });
    for (const message of ['a', 'b', 'c']) recordEvent(client, subject, { ...text, message });
    recordEvent(client, { ...subject, name: 'pool-b', uid: 'uid-b' }, text);
    await recorder.idle();
    expect(dropped).toEqual(['rateLimited']);
    expect(await eventsIn(client)).toHaveLength(3);
  });

  test('no object because others that are named without their UID had many', async () => {
    const { client, recorder, dropped } = counted({
      filter: new SpamFilter({ burst: 1, refillMs: 60_000 }),
    });
    for (const name of ['pool-a', 'pool-b', 'pool-a'])
      recordEvent(client, { ...subject, name, uid: '' }, text);
    await recorder.idle();
    expect(dropped).toEqual(['rateLimited']);
  });
});

function hanging(): { recorder: EventRecorder; dropped: DropReason[]; begun: () => number } {
  const dropped: DropReason[] = [];
  let begun = 0;
  const recorder = new EventRecorder({
    async write() {
      begun += 1;
      await new Promise(() => undefined);
    },
    onDropped: (reason) => dropped.push(reason),
    filter: new SpamFilter({ burst: 10_000 }),
  });
  return { recorder, dropped, begun: () => begun };
}

describe('an API server that does not answer for Events', () => {
  const occurrence = { subject, text, at: 0 };

  test('holds up four calls and a thousand Events at most', () => {
    const { recorder, dropped, begun } = hanging();
    for (let count = 0; count < 1_010; count += 1) recorder.record(occurrence);
    expect(begun()).toBe(4);
    expect(dropped).toEqual(Array(6).fill('queueFull'));
  });

  test('does not hold up the end of the process', async () => {
    const { recorder, dropped } = hanging();
    for (let count = 0; count < 6; count += 1) recorder.record(occurrence);
    await recorder.close(1);
    recorder.record(occurrence);
    expect(dropped).toEqual(['shutdown', 'shutdown', 'shutdown']);
  });
});

test('at the end of the process what waits is written', async () => {
  const { client, recorder, dropped } = counted();
  for (let count = 0; count < 20; count += 1) {
    recordEvent(client, subject, { ...text, message: String(count) });
  }
  await recorder.close(60_000);
  expect(dropped).toEqual([]);
  expect(await eventsIn(client)).toHaveLength(20);
});
