/** Reads of a copy that are as consistent as a list. */
import { ConsistentCopy } from '../../../kube/cache/consistent-copy.ts';
import type { CopyLimits } from '../../../kube/cache/consistent-copy.ts';
import type { KubeObject, Query, WatchEvent } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';

const path = customResource('machines', namespace);
const pathOf = (name: string): string => customResource('machines', namespace, name);
const machine = (name: string, labels: Record<string, string> = {}) =>
  aMachine({ metadata: { name, labels } });

/** What it says of its version, and whether it lets anything watch. */
class Server extends InMemoryClient {
  refusesWatches = false;
  version: string | undefined;
  breaking = new AbortController();

  override async get<T>(place: string, query: Query = {}): Promise<T> {
    const answer = await super.get<T>(place, query);
    if (place !== path || this.version === undefined) return answer;
    return { ...answer, metadata: { ...Object(answer).metadata, resourceVersion: this.version } };
  }

  override watch<T>(
    place: string,
    query: Query,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>> {
    if (this.refusesWatches) throw new Error('watch is forbidden');
    return super.watch<T>(place, query, AbortSignal.any([signal, this.breaking.signal]));
  }
}

type View = { uid: string; name: string; resourceVersion: string; color: string | undefined };

let server: Server;
const open: { close(): Promise<void> }[] = [];

beforeEach(() => {
  server = new Server(machine('a'), machine('b'));
});

afterEach(async () => {
  for (const copy of open.splice(0)) await copy.close();
});

function copyOf(limits: CopyLimits = {}, viewOf = view): ConsistentCopy<KubeObject, View> {
  const copy = new ConsistentCopy<KubeObject, View>({
    smallest: 0,
    patienceMs: 60_000,
    ...limits,
    client: server,
    path,
    transform: viewOf,
    onError: () => undefined,
  });
  open.push(copy);
  return copy;
}

function view({ metadata: { uid, name, resourceVersion, labels } }: KubeObject): View {
  return { uid, name, resourceVersion, color: labels?.['color'] };
}

/** A copy whose watch has brought something. */
async function aHearingCopy(limits: CopyLimits = {}): Promise<ConsistentCopy<KubeObject, View>> {
  const copy = copyOf(limits);
  await eventually('it hears', async () => {
    const isServed = (await copy.read()) !== undefined;
    if (!isServed) server.put(machine('b'));
    return isServed;
  });
  return copy;
}

const paint = (name: string, color: string) =>
  server.patch(pathOf(name), 'merge', { metadata: { labels: { color } } });

test('a copy shows what was written before the read, whichever client wrote it, and lists nothing', async () => {
  const copy = await aHearingCopy();
  server.calls.length = 0;
  for (const color of ['red', 'green', 'blue']) {
    await paint('b', color);
    expect((await copy.read())?.map((item) => item.color)).toEqual([undefined, color]);
  }
  await server.delete(pathOf('a'));
  await server.patch(pathOf('a'), 'merge', { metadata: { finalizers: null } });
  server.put(machine('aa'));
  expect((await copy.read())?.map(({ name }) => name)).toEqual(['aa', 'b']);
  expect(server.calls.filter((call) => call === `GET ${path}`)).toHaveLength(4);
});

test('reads of one moment ask for the version once, and one that comes later asks again', async () => {
  const copy = await aHearingCopy();
  server.calls.length = 0;
  const reads = [copy.read(), copy.read(), copy.read()];
  expect(await Promise.all(reads)).not.toContain(undefined);
  expect(server.calls).toHaveLength(1);
  await copy.read();
  expect(server.calls).toHaveLength(2);
});

test('a copy waits until its watch has come as far as the server, and no longer than a list takes', async () => {
  const copy = await aHearingCopy();
  server.put(aNode());
  const waiting = copy.read();
  await paint('b', 'red');
  expect((await waiting)?.map((item) => item.color)).toEqual([undefined, 'red']);
  const hasty = await aHearingCopy({ patienceMs: 1 });
  server.put(aNode());
  expect(await hasty.read()).toBeUndefined();
  await paint('b', 'green');
  expect((await hasty.read())?.map((item) => item.color)).toEqual([undefined, 'green']);
});

test('a copy that is ahead of its server says nothing: the server was restored', async () => {
  const copy = await aHearingCopy();
  server.version = '1';
  expect(await copy.read()).toBeUndefined();
});

test('a copy without a watch says nothing', async () => {
  server.refusesWatches = true;
  const copy = copyOf();
  expect(await copy.read()).toBeUndefined();
  await paint('b', 'red');
  await eventually('it has tried to watch', async () => server.calls.length > 4);
  expect(await copy.read()).toBeUndefined();
});

test('a copy that lost its watch says nothing until the next one has brought something', async () => {
  const copy = await aHearingCopy();
  const { breaking } = server;
  server.breaking = new AbortController();
  breaking.abort();
  await eventually('the watch is over', async () => server.watchCount === 0);
  await paint('b', 'red');
  expect(await copy.read()).toBeUndefined();
  await eventually('it watches again', async () => server.watchCount === 1);
  await paint('b', 'green');
  expect((await copy.read())?.map((item) => item.color)).toEqual([undefined, 'green']);
});

test('a copy that cannot hold an object says nothing', async () => {
  const copy = copyOf({}, (object) => {
    if (object.metadata.name === 'b') throw new Error('cannot be read');
    return view(object);
  });
  expect(await copy.read()).toBeUndefined();
  await eventually('it has listed', async () => server.watchCount === 1);
  await paint('a', 'red');
  expect(await copy.read()).toBeUndefined();
});

test('a small list is not copied, and not measured each time', async () => {
  const copy = copyOf({ smallest: 3 });
  expect([await copy.read(), await copy.read()]).toEqual([undefined, undefined]);
  expect(server.calls).toEqual([`GET ${path}`]);
  expect(server.watchCount).toBe(0);
});
