import { formatHook, hooksIn, mostHooks } from '../../../workflows/api/deletion-hooks.ts';
import { formatHold } from '../../../workflows/plan/machine/hooks.ts';

const ofMcm = 'suspend-instance-deletion.node.machine.sapcloud.io';
const beforeDrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io';
const beforeInstance = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io';

test('the hooks of MCM and of the Cluster API, in the order of their names', () => {
  const annotations = {
    [`${ofMcm}/etcd`]: 'etcd-druid',
    [`${beforeInstance}/etcd`]: 'backup',
    [`${beforeDrain}/traffic`]: 'mesh',
    'node.machine.sapcloud.io/preserve': 'now',
  };
  expect(hooksIn(annotations)).toEqual({
    drain: [{ annotation: `${beforeDrain}/traffic`, owner: 'mesh' }],
    instance: [
      { annotation: `${beforeInstance}/etcd`, owner: 'backup' },
      { annotation: `${ofMcm}/etcd`, owner: 'etcd-druid' },
    ],
  });
});

test.each([
  ['no annotation', undefined],
  ['others', { 'node.machine.sapcloud.io/preserve': 'now', [ofMcm]: 'without a slash' }],
])('%s: none', (_name, annotations) => {
  expect(hooksIn(annotations)).toBeUndefined();
});

test('an owner is one line, and no longer than a line', () => {
  const [hook] = hooksIn({ [`${ofMcm}/a`]: ` one\n\ttwo\u0000${'x'.repeat(200)}` })?.instance ?? [];
  expect(hook?.owner).toBe(`one two ${'x'.repeat(92)}`);
});

test('a hook without owner or purpose counts', () => {
  const { instance = [] } = hooksIn({ [`${ofMcm}/`]: '' }) ?? {};
  expect(instance.map(formatHook)).toEqual([' (no owner)']);
});

test('many hooks with long names stay a text that fits a status, and each has its turn', () => {
  const keys = Array.from({ length: 30 }, (_, index) => `${ofMcm}/${'p'.repeat(60)}-${10 + index}`);
  const annotations = Object.fromEntries(keys.map((key) => [key, 'o'.repeat(300)]));
  const { instance = [] } = hooksIn(annotations) ?? {};
  expect(instance).toHaveLength(mostHooks);
  expect(formatHold({ part: 'instance', hooks: instance }).length).toBeLessThan(4_000);
  for (const { annotation } of instance) delete annotations[annotation];
  expect(hooksIn(annotations)?.instance).toHaveLength(10);
});
