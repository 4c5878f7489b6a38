/**
 * Behaviour of the API server in memory that `test/e2e/input/api-server-differential.test.ts`
 * cannot compare with a real one.
 */
import { disruptionPolicy, namespaced } from '../../../kube/client/paths.ts';
import { aDisruptionPolicy, namespace } from '../builders.ts';
import { ApiServer } from './api-server.ts';
import { overTheWire } from './json.ts';
import { StatusError } from './status.ts';
import type { WatchedEvent } from './watches.ts';

const configMaps = namespaced('configmaps', namespace);

function refusal(call: () => unknown): number | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return error.status.code;
    throw error;
  }
  return undefined;
}

function read(server: ApiServer, path: string): ReturnType<typeof JSON.parse> {
  return overTheWire(server.get(path));
}

test('times are whole seconds of the clock that is handed in, UIDs those that are made for it', () => {
  const server = new ApiServer({
    now: () => 61_999,
    uuid: () => 'made-up',
    inWholeSeconds: true,
  });
  server.create(configMaps, { metadata: { name: 'a' } });
  expect(read(server, `${configMaps}/a`).metadata).toMatchObject({
    creationTimestamp: '1970-01-01T00:01:01Z',
    uid: 'made-up',
  });
});

function aCutServer(): ApiServer {
  const server = new ApiServer({ keptChanges: 10 });
  for (let index = 0; index < 100; index += 1) {
    server.create(configMaps, { metadata: { name: `a-${index}` } });
  }
  return server;
}

function heardFrom(server: ApiServer, resourceVersion: number): string[] {
  const events: WatchedEvent[] = [];
  server.watch(configMaps, { resourceVersion }, (event) => events.push(event));
  return events.map(({ type }) => type);
}

describe('of a history that is cut', () => {
  test('the newest changes are heard, and of the oldest only that they are forgotten', () => {
    const server = aCutServer();
    const { version } = server.store;
    expect(heardFrom(server, version - 10)).toEqual(Array.from({ length: 10 }, () => 'ADDED'));
    expect(heardFrom(server, version - 50)).toEqual(['ERROR']);
  });

  test('a page of an old version is refused', () => {
    const server = new ApiServer({ keptChanges: 10 });
    for (const name of ['a', 'b']) server.create(configMaps, { metadata: { name } });
    const { metadata } = overTheWire(server.get(configMaps, { limit: 1 }));
    expect(refusal(() => server.get(configMaps, { continue: metadata.continue }))).toBeUndefined();
    for (let index = 0; index < 100; index += 1) {
      server.patch(`${configMaps}/a`, { type: 'merge', body: { data: { x: `${index}` } } });
    }
    expect(refusal(() => server.get(configMaps, { continue: metadata.continue }))).toBe(410);
  });
});

test('what is stored cannot be changed by those who read it, nor by those who sent it', () => {
  const server = new ApiServer();
  const labels = { a: 'b' };
  server.create(configMaps, { metadata: { name: 'a', labels } });
  labels.a = 'c';
  const stored: { metadata: { labels: { a: string } } } = Object(server.get(`${configMaps}/a`));
  expect(stored.metadata.labels).toEqual({ a: 'b' });
  expect(() => {
    stored.metadata.labels.a = 'd';
  }).toThrow(TypeError);
});

test('an optional kind is served when it is installed, or put', () => {
  const version = '/apis/millwright.dev/v1alpha1';
  const server = new ApiServer();
  expect(refusal(() => server.get(disruptionPolicy(namespace)))).toBe(404);
  expect(refusal(() => server.get(version))).toBe(404);
  server.install('DisruptionPolicy');
  expect(read(server, disruptionPolicy(namespace)).items).toEqual([]);
  expect(read(server, version).resources).toEqual([
    { name: 'disruptionpolicies', kind: 'DisruptionPolicy' },
    { name: 'disruptionpolicies/status', kind: 'DisruptionPolicy' },
  ]);
  const other = new ApiServer();
  other.put(aDisruptionPolicy());
  expect(read(other, disruptionPolicy(namespace, 'weekend')).spec).toEqual({});
});
