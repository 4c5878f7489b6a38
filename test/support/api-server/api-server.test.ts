/** What kube-apiserver 1.35 answered to the same requests. */
import type { KubeObject, PatchType } from '../../../activities/kube/client/client.ts';
import { customResource, lease, namespaced, node } from '../../../activities/kube/client/paths.ts';
import { aMachine, aNode, namespace } from '../builders.ts';
import { ApiServer } from './api-server.ts';
import { overTheWire } from './json.ts';
import type { ListAnswer } from './lists.ts';
import { StatusError } from './status.ts';
import type { Status } from './status.ts';
import type { WatchedEvent } from './watches.ts';

const machines = customResource('machines', namespace);
const machine = customResource('machines', namespace, 'pool-a');
const configMaps = namespaced('configmaps', namespace);
const configMap = namespaced('configmaps', namespace, 'a');
let server: ApiServer;

beforeEach(() => {
  server = new ApiServer();
  server.put(aMachine());
  server.put(aNode());
  server.create(configMaps, { metadata: { name: 'a' } });
});

function patch(path: string, body: unknown, type: PatchType = 'merge'): object {
  return server.patch(path, { type, body });
}

function refusal(call: () => unknown): Partial<Status> {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('it was not refused');
}

function read(path: string): KubeObject & Record<string, unknown> {
  return overTheWire(server.get(path));
}

function list(path: string, query = {}): ListAnswer {
  return overTheWire(server.get(path, query));
}

const namesIn = ({ items }: ListAnswer): unknown[] =>
  (items ?? []).map((item) => Object(item).metadata.name);

const ofMachine = { name: 'pool-a', group: 'machine.sapcloud.io' };
const kindMachine = { ...ofMachine, kind: 'Machine' };
const modified =
  'the object has been modified; please apply your changes to the latest version and try again';

test.each<{ name: string; call: () => unknown; code: number; message: string; fields?: object }>([
  {
    name: 'an object that is not there',
    call: () => server.get(`${machines}/none`),
    code: 404,
    message: 'machines.machine.sapcloud.io "none" not found',
    fields: { reason: 'NotFound', details: { ...ofMachine, name: 'none', kind: 'machines' } },
  },
  {
    name: 'a resource that is not served',
    call: () => server.get('/api/v1/things'),
    code: 404,
    message: 'the server could not find the requested resource',
  },
  {
    name: 'a resource of the cluster in a namespace',
    call: () => server.get(namespaced('nodes', namespace)),
    code: 404,
    message: 'the server could not find the requested resource',
  },
  {
    name: 'a status that is not kept apart',
    call: () => patch(`${configMap}/status`, {}),
    code: 404,
    message: 'the server could not find the requested resource',
  },
  {
    name: 'a taken name',
    call: () => server.create(configMaps, { metadata: { name: 'a' } }),
    code: 409,
    message: 'configmaps "a" already exists',
    fields: { reason: 'AlreadyExists', details: { name: 'a', kind: 'configmaps' } },
  },
  {
    name: 'a new object without a name',
    call: () => server.create(configMaps, {}),
    code: 422,
    message:
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
  {
    name: 'a new object with a version',
    call: () => server.create(configMaps, { metadata: { name: 'b', resourceVersion: '5' } }),
    code: 500,
    message: 'resourceVersion should not be set on objects to be created',
  },
  {
    name: 'a new object of another namespace',
    call: () => server.create(configMaps, { metadata: { name: 'b', namespace: 'other' } }),
    code: 400,
    message:
      'the namespace of the provided object does not match the namespace sent on the request',
  },
  {
    name: 'a patch of an earlier version',
    call: () => patch(machine, { metadata: { resourceVersion: '1', uid: 'another' } }),
    code: 409,
    message: `Operation cannot be fulfilled on machines.machine.sapcloud.io "pool-a": ${modified}`,
    fields: { reason: 'Conflict', details: { ...ofMachine, kind: 'machines' } },
  },
  {
    name: 'a patch with another UID',
    call: () => patch(machine, { metadata: { uid: 'another' } }),
    code: 422,
    message:
      'Machine.machine.sapcloud.io "pool-a" is invalid: metadata.uid: Invalid value: "another": field is immutable',
    fields: { reason: 'Invalid', details: expect.objectContaining(kindMachine) },
  },
  {
    name: 'a patch that takes the version away',
    call: () => patch(machine, { metadata: { resourceVersion: null } }),
    code: 422,
    message:
      'machines.machine.sapcloud.io "pool-a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  },
  {
    name: 'a patch of the name',
    call: () => patch(machine, { metadata: { name: 'z' } }),
    code: 400,
    message: 'the name of the object (z) does not match the name on the URL (pool-a)',
  },
  {
    name: 'a patch that begins a deletion',
    call: () => patch(machine, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    code: 422,
    message:
      'Machine.machine.sapcloud.io "pool-a" is invalid: metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable',
  },
  {
    name: 'a strategic patch of a custom resource',
    call: () => patch(`${machines}/none`, {}, 'strategic'),
    code: 415,
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  },
  {
    name: 'a JSON patch whose test does not hold',
    call: () => patch(machine, [{ op: 'test', path: '/metadata/name', value: 'z' }], 'json'),
    code: 422,
    message: 'the server rejected our request due to an error in our request',
    fields: { reason: 'Invalid', details: {} },
  },
  {
    name: 'a deletion with another UID',
    call: () => server.delete(machine, { preconditions: { uid: 'another' } }),
    code: 409,
    message:
      'Operation cannot be fulfilled on Machine.machine.sapcloud.io "pool-a": the UID in the precondition (another) does not match the UID in record (uid-of-pool-a). The object might have been deleted and then recreated',
    fields: { reason: 'Conflict', details: kindMachine },
  },
  {
    name: 'a field selector that the resource has not',
    call: () => server.get(machines, { fieldSelector: 'spec.providerID=x' }),
    code: 400,
    message: 'field label not supported: spec.providerID',
  },
  {
    name: 'a version that is still to come',
    call: () => server.get(machines, { resourceVersion: '900' }),
    code: 504,
    message: 'Timeout: Too large resource version: 900, current: 103',
    fields: { reason: 'Timeout' },
  },
])('$name: $code', ({ call, code, message, fields = {} }) => {
  const answer = refusal(call);
  expect(answer).toMatchObject({ kind: 'Status', status: 'Failure', code, message, ...fields });
});

describe('a write', () => {
  test('that changes nothing is none', () => {
    const before = read(machine);
    patch(machine, { metadata: { labels: {}, creationTimestamp: null, generation: 9 } });
    expect(read(machine)).toEqual(before);
  });

  test('of the spec counts a generation, one of the status and of the metadata does not', () => {
    patch(machine, { spec: { providerID: 'x' }, status: { node: 'lost' } });
    expect(read(machine)).toMatchObject({ metadata: { generation: 2 }, spec: { providerID: 'x' } });
    expect(read(machine)).not.toHaveProperty('status');
    patch(`${machine}/status`, { spec: { providerID: 'y' }, status: { node: 'n' } });
    patch(machine, { metadata: { labels: { a: 'b' } } });
    expect(read(machine)).toMatchObject({
      metadata: { generation: 2, labels: { a: 'b' } },
      spec: { providerID: 'x' },
      status: { node: 'n' },
    });
  });

  test('of a Node leaves its status alone, and one of its status the rest but for metadata', () => {
    patch(node('pool-a'), { status: { conditions: [] }, spec: { unschedulable: true } });
    const labels = { a: 'b' };
    patch(`${node('pool-a')}/status`, { metadata: { labels }, spec: { unschedulable: false } });
    expect(read(node('pool-a'))).toMatchObject({
      metadata: { labels },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready' }] },
    });
  });

  test('of a Lease without its version is refused, of a ConfigMap it is done', () => {
    const unconditional = { metadata: { resourceVersion: null, labels: { a: 'b' } } };
    server.create(lease(namespace), { metadata: { name: 'l' } });
    expect(refusal(() => patch(lease(namespace, 'l'), unconditional)).code).toBe(422);
    patch(configMap, unconditional);
    expect(read(configMap).metadata.labels).toEqual({ a: 'b' });
  });

  test('of a strategic patch merges lists by key, in the order of the patch', () => {
    const finalizersAfter = (finalizers: string[], type: PatchType): unknown =>
      Object(patch(configMap, { metadata: { finalizers } }, type)).metadata.finalizers;
    expect(finalizersAfter(['x/1', 'x/2'], 'merge')).toEqual(['x/1', 'x/2']);
    expect(finalizersAfter(['x/2', 'x/9'], 'strategic')).toEqual(['x/1', 'x/2', 'x/9']);
    const order = ['x/2', 'x/9', 'x/8', 'x/1', 'x/7'];
    expect(finalizersAfter(['x/9', 'x/8', 'x/1', 'x/7'], 'strategic')).toEqual(order);
    const conditions = [{ type: 'C' }, { type: 'Ready', reason: 'x' }];
    patch(`${node('pool-a')}/status`, { status: { conditions } }, 'strategic');
    expect(read(node('pool-a'))['status']).toEqual({
      conditions: [{ type: 'C' }, { type: 'Ready', status: 'True', reason: 'x' }],
    });
  });
});

describe('a deletion', () => {
  test('waits for the last finalizer, lets no new one in, and is not begun twice', () => {
    expect(server.delete(machine)).toMatchObject({
      metadata: { generation: 2, deletionGracePeriodSeconds: 0 },
    });
    const going = read(machine);
    expect(server.delete(machine)).toEqual(going);
    const added = { metadata: { finalizers: [...(going.metadata.finalizers ?? []), 'x/y'] } };
    expect(refusal(() => patch(machine, added)).message).toContain(
      'no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/y"}',
    );
    patch(machine, { metadata: { finalizers: [] } });
    expect(server.has(machine)).toBe(false);
  });

  test('of what has no finalizer is answered with the UID of what is gone', () => {
    const { uid } = read(configMap).metadata;
    expect(server.delete(configMap)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid },
    });
  });

  test('asks the garbage collector with a finalizer', () => {
    server.delete(configMap, { propagationPolicy: 'Foreground' });
    expect(read(configMap).metadata.finalizers).toEqual(['foregroundDeletion']);
    server.delete(configMap, { propagationPolicy: 'Background' });
    expect(server.has(configMap)).toBe(false);
  });
});

describe('a list', () => {
  beforeEach(() => {
    for (const name of ['c', 'b']) server.create(configMaps, { metadata: { name } });
  });

  test('is sorted by name, and its objects have no kind of their own', () => {
    const { kind, items } = list(configMaps);
    expect(kind).toBe('ConfigMapList');
    expect(items?.map((item) => 'kind' in item)).toEqual([false, false, false]);
    expect(namesIn(list(configMaps))).toEqual(['a', 'b', 'c']);
  });

  test('of metadata names a kind of its own for each object, and is null where it is empty', () => {
    const as = 'PartialObjectMetadata';
    const { kind, items } = list(configMaps, { as });
    expect(kind).toBe(`${as}List`);
    expect(items?.[0]).toMatchObject({ kind: as, apiVersion: 'meta.k8s.io/v1' });
    expect(list(configMaps, { as, labelSelector: 'none' }).items).toBeNull();
  });

  test('has pages of one version', () => {
    const first = list(configMaps, { limit: 1 });
    expect(first.metadata).toMatchObject({ remainingItemCount: 2 });
    server.delete(`${configMaps}/b`);
    server.create(configMaps, { metadata: { name: 'd' } });
    const rest = list(configMaps, { continue: first.metadata.continue });
    expect([first, rest].flatMap(namesIn)).toEqual(['a', 'b', 'c']);
    expect(rest.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  test('goes on with the newest version where its own has expired', () => {
    const first = list(configMaps, { limit: 1 });
    server.delete(`${configMaps}/b`);
    server.store.forget(server.store.version);
    const { code, reason, metadata } = refusal(() =>
      list(configMaps, { continue: first.metadata.continue }),
    );
    expect({ code, reason }).toEqual({ code: 410, reason: 'Expired' });
    expect(namesIn(list(configMaps, metadata))).toEqual(['c']);
  });
});

function watched(query = {}): string[] {
  const seen: string[] = [];
  server.watch(configMaps, query, ({ type, object }: WatchedEvent) => {
    const { name, resourceVersion } = Object(object).metadata;
    seen.push(
      type === 'ERROR' ? String(Object(object).message) : `${type} ${name}@${resourceVersion}`,
    );
  });
  return seen;
}

describe('a watch', () => {
  test('without a version begins with what there is, from one with what came after it', () => {
    patch(configMap, { data: { x: '1' } });
    server.delete(configMap);
    server.create(configMaps, { metadata: { name: 'b' } });
    const [all, later] = [watched(), watched({ resourceVersion: '103' })];
    server.create(configMaps, { metadata: { name: 'c' } });
    expect(all).toEqual(['ADDED b@106', 'ADDED c@107']);
    expect(later).toEqual(['MODIFIED a@104', 'DELETED a@105', 'ADDED b@106', 'ADDED c@107']);
  });

  test('sees objects come to be selected, and cease to be', () => {
    const seen = watched({ resourceVersion: '103', labelSelector: 'l in (1,2)' });
    for (const l of ['1', '2', '3']) patch(configMap, { metadata: { labels: { l } } });
    expect(seen).toEqual(['ADDED a@104', 'MODIFIED a@105', 'DELETED a@106']);
  });

  test('from a version that is forgotten hears that, from one to come nothing before it', () => {
    server.store.forget(103);
    expect(watched({ resourceVersion: '102' })).toEqual(['too old resource version: 102 (103)']);
    const seen = watched({ resourceVersion: '104' });
    for (const x of ['1', '2']) patch(configMap, { data: { x } });
    expect(seen).toEqual(['MODIFIED a@105']);
  });
});
