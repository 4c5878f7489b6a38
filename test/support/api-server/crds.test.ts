/** What kube-apiserver 1.35 made of objects of our kinds, with the schemas of deploy/crds. */
import { customResource } from '../../../activities/kube/client/paths.ts';
import { apiVersion } from '../../../workflows/api/constants.ts';
import { namespace } from '../builders.ts';
import { ApiServer } from './api-server.ts';
import { overTheWire } from './json.ts';
import { StatusError } from './status.ts';

const sets = customResource('machinesets', namespace);
const set = customResource('machinesets', namespace, 'pool');
const ofClass = { class: { kind: 'MachineClass', name: 'small' } };
const selector = { matchLabels: { a: 'b' } };
const template = { metadata: { labels: { a: 'b' } }, spec: ofClass };
let server: ApiServer;

beforeEach(() => {
  server = new ApiServer({ crds: true });
});

function create(spec: object): void {
  const whole = { replicas: 1, selector, template, ...spec };
  server.create(sets, { apiVersion, kind: 'MachineSet', metadata: { name: 'pool' }, spec: whole });
}

function read(): ReturnType<typeof JSON.parse> {
  return overTheWire(server.get(set));
}

function report(status: object): void {
  server.patch(`${set}/status`, { type: 'merge', body: { status } });
}

/** Reasons and fields. */
function faults(call: () => unknown): unknown[] {
  try {
    call();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { causes = [] } = error.status.details ?? {};
    return causes.map(({ reason, field }) => `${field}: ${reason}`);
  }
  return [];
}

const notChecked = '<nil>: FieldValueInvalid';

test('what the schema does not know is taken away, and a null too', () => {
  const metadata = { labels: { a: 'b' }, other: 1 };
  create({ unknown: 1, replicas: null, template: { unknown: 2, metadata, spec: ofClass } });
  // The metadata of a template takes anything.
  expect(read().spec).toEqual({ selector, template: { metadata, spec: ofClass } });
});

test.each([
  {
    spec: { replicas: 'many' },
    found: [
      'spec.replicas: FieldValueTypeInvalid',
      '.spec.replicas: FieldValueInvalid',
      notChecked,
    ],
  },
  {
    spec: { minReadySeconds: 1.5 },
    found: ['spec.minReadySeconds: FieldValueTypeInvalid', notChecked],
  },
  { spec: { replicas: -1 }, found: ['.spec.replicas: FieldValueInvalid'] },
  { spec: { selector: null }, found: ['spec.selector: FieldValueRequired'] },
  { spec: { template: 'x' }, found: ['spec.template: FieldValueTypeInvalid', notChecked] },
  {
    spec: { selector: { matchLabels: { a: 'b'.repeat(70) } } },
    found: ['spec.selector.matchLabels.a: FieldValueTooLong', notChecked],
  },
  {
    spec: { template: { ...template, spec: { ...ofClass, drainTimeout: 'soon' } } },
    found: ['spec.template.spec.drainTimeout: FieldValueInvalid'],
  },
])('a set with $spec is refused', ({ spec, found }) => {
  expect(faults(() => create(spec))).toEqual(found);
});

test('a fault that an object had before does not keep others from being written', () => {
  const bad = { replicas: 1, selector: { matchLabels: { z: 'z' } }, template };
  const metadata = {
    name: 'pool',
    namespace,
    uid: 'u',
    resourceVersion: '',
    creationTimestamp: '',
  };
  server.put(overTheWire({ apiVersion, kind: 'MachineSet', metadata, spec: bad }));
  const patch = (body: object) => () => server.patch(set, { type: 'merge', body });
  expect(faults(patch({ spec: { replicas: 2 } }))).toEqual([]);
  expect(read().spec.replicas).toBe(2);
  expect(faults(patch({ spec: { replicas: -1 } }))).toEqual(['.spec.replicas: FieldValueInvalid']);
});

test('a status is read by its own schema', () => {
  create({});
  expect(faults(() => report({ replicas: 'x' }))).toContain(
    'status.replicas: FieldValueTypeInvalid',
  );
  report({ replicas: 1, unknown: 1 });
  // With what it has before anybody writes it.
  expect(read().status).toEqual({ observedGeneration: 0, replicas: 1 });
});

const nothing = { type: 'merge', body: {} } as const;

test('a status that is a default is stored with the first write, also one that changes nothing', () => {
  create({});
  const before = read().metadata.resourceVersion;
  server.patch(set, nothing);
  const after = read().metadata.resourceVersion;
  expect(after).not.toBe(before);
  server.patch(set, nothing);
  expect(read().metadata.resourceVersion).toBe(after);
});
