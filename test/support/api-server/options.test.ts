/** What the API server in memory does only when it is asked to, and what it keeps. */
import { customResource, namespaced, node } from '../../../activities/kube/client/paths.ts';
import { aMachine, aNode, namespace } from '../builders.ts';
import { ApiServer } from './api-server.ts';
import { overTheWire } from './json.ts';
import { StatusError } from './status.ts';
import type { WatchedEvent } from './watches.ts';

const configMaps = namespaced('configmaps', namespace);
const pods = namespaced('pods', namespace);
const pod = `${pods}/a`;
const machine = customResource('machines', namespace, 'pool-a');

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

describe('a pod of a Node', () => {
  const bound = { metadata: { name: 'a' }, spec: { nodeName: 'n' } };

  function aServer(): ApiServer {
    const server = new ApiServer({ gracefulPods: true, inWholeSeconds: true, now: () => 0 });
    server.create(pods, bound);
    return server;
  }

  test('stays for its grace period, which can only become shorter', () => {
    const server = aServer();
    const end = (): unknown[] => {
      const { deletionTimestamp, deletionGracePeriodSeconds } = read(server, pod).metadata;
      return [deletionTimestamp, deletionGracePeriodSeconds];
    };
    server.delete(pod);
    expect(end()).toEqual(['1970-01-01T00:00:30Z', 30]);
    server.delete(pod, { gracePeriodSeconds: 60 });
    expect(end()).toEqual(['1970-01-01T00:00:30Z', 30]);
    server.delete(pod, { gracePeriodSeconds: 10 });
    expect(end()).toEqual(['1970-01-01T00:00:10Z', 10]);
    server.delete(pod, { gracePeriodSeconds: 0 });
    expect(server.has(pod)).toBe(false);
  });

  test('keeps its place in the meantime, also when its finalizer goes', () => {
    const server = aServer();
    server.patch(pod, { type: 'merge', body: { metadata: { finalizers: ['x/y'] } } });
    server.delete(pod);
    server.patch(pod, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(server.has(pod)).toBe(true);
    server.delete(pod, { gracePeriodSeconds: 0 });
    expect(server.has(pod)).toBe(false);
  });

  test('is evicted in the same way', () => {
    const server = aServer();
    const deleteOptions = { gracePeriodSeconds: 5 };
    server.create(`${pod}/eviction`, { metadata: { name: 'a' }, deleteOptions });
    expect(read(server, pod).metadata.deletionGracePeriodSeconds).toBe(5);
  });

  test('that has ended goes at once, and so does one without a Node', () => {
    const server = aServer();
    server.patch(`${pod}/status`, { type: 'merge', body: { status: { phase: 'Succeeded' } } });
    server.delete(pod);
    expect(server.has(pod)).toBe(false);
    server.create(pods, { metadata: { name: 'a' } });
    server.delete(pod);
    expect(server.has(pod)).toBe(false);
  });
});

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

describe('a write of the whole', () => {
  test('replaces what a patch would keep, of the present version only', () => {
    const server = new ApiServer();
    server.put(aMachine());
    const { status: _status, ...present } = read(server, machine);
    const labels = { a: 'b' };
    const spec = { class: { kind: 'MachineClass', name: 'other' } };
    server.update(machine, { ...present, metadata: { ...present.metadata, labels }, spec });
    expect(read(server, machine)).toMatchObject({ metadata: { labels, generation: 2 }, spec });
    expect(Object.keys(read(server, machine).metadata.labels)).toEqual(['a']);
    expect(refusal(() => server.update(machine, present))).toBe(409);
    const { resourceVersion: _version, ...unversioned } = present.metadata;
    expect(refusal(() => server.update(machine, { ...present, metadata: unversioned }))).toBe(422);
  });

  test('of another UID is refused, and one of the status leaves the rest', () => {
    const server = new ApiServer();
    server.put(aNode());
    const path = node('pool-a');
    const { metadata, spec, ...present } = read(server, path);
    const another = { ...metadata, uid: 'another' };
    expect(refusal(() => server.update(path, { ...present, metadata: another, spec }))).toBe(409);
    const status = { conditions: [] };
    server.update(`${path}/status`, {
      ...present,
      metadata,
      spec: { unschedulable: true },
      status,
    });
    expect(read(server, path)).toMatchObject({ spec, status });
  });

  test('makes a Lease that is not there, and no ConfigMap', () => {
    const server = new ApiServer();
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    server.update(`${leases}/l`, { metadata: { name: 'l' } });
    expect(server.has(`${leases}/l`)).toBe(true);
    expect(refusal(() => server.update(`${configMaps}/l`, { metadata: { name: 'l' } }))).toBe(404);
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
