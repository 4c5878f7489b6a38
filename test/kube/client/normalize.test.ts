import { whole } from '../../../kube/client/normalize.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';

/** As a Helm template leaves them; MCM's schemas ask nothing of the metadata of templates. */
const holed = () => ({ labels: null, annotations: { note: null, other: 'x' }, finalizers: null });
const filled = { annotations: { note: '', other: 'x' }, finalizers: null };

const specs = [
  {
    kind: 'Machine',
    read: { nodeTemplate: { metadata: holed() } },
    known: { nodeTemplate: { metadata: filled } },
  },
  ...['MachineSet', 'MachineDeployment'].map((kind) => ({
    kind,
    read: {
      template: { metadata: holed(), spec: { nodeTemplate: { metadata: holed() } } },
    },
    known: {
      template: { metadata: filled, spec: { nodeTemplate: { metadata: filled } } },
    },
  })),
];

test.each(specs)('null in a template of a $kind is what it is to MCM', ({ kind, read, known }) => {
  const object = (spec: object) => ({ apiVersion, kind, metadata: { name: 'a' }, spec });
  const copy = () => structuredClone(read);
  expect(whole(object(copy()))).toEqual(object(known));
  expect(whole({ items: [object(copy())] })).toEqual({ items: [object(known)] });
  const type = 'ADDED';
  expect(whole({ type, object: object(copy()) })).toEqual({ type, object: object(known) });
});

test('what is of others stays as it is', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: { template: { metadata: holed() } } };
  expect(whole(structuredClone(pod))).toEqual(pod);
});
