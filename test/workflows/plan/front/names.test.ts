import type { KubermaticMachineTemplate } from '../../../../workflows/api/kubermatic.ts';
import {
  isSameTemplate,
  nameOfTemplate,
  poolLabel,
  templateName,
} from '../../../../workflows/plan/front/names.ts';

const long = `${'a'.repeat(62)}.${'b'.repeat(180)}`;

function aTemplate(
  kubelet: string,
  labels: Record<string, string> = {},
): KubermaticMachineTemplate {
  return { metadata: { labels }, spec: { providerSpec: {}, versions: { kubelet } } };
}

test('the label of a pool is its name, and of a long one a value that a label may have', () => {
  expect(poolLabel('pool')).toBe('pool');
  expect(poolLabel(long)).toMatch(/^[a-z0-9][a-z0-9.-]{0,61}[a-z0-9]$/);
  expect(poolLabel(`${long}b`)).not.toBe(poolLabel(long));
});

test('a class has a name that an object may have', () => {
  expect(templateName('pool', 'x7')).toBe('pool-x7');
  const longest = templateName(`${'a'.repeat(249)}.b.c`, 'x7');
  expect(longest).toMatch(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])$/);
});

test('templates are the same but for the hash, the order of keys and what is empty', () => {
  const a = aTemplate('1.34.2', { app: 'a', 'machine-template-hash': '1' });
  const b = { spec: { versions: { kubelet: '1.34.2' }, taints: [], providerSpec: {} } };
  expect(isSameTemplate(a, { ...b, metadata: { labels: { app: 'a' }, annotations: {} } })).toBe(
    true,
  );
  expect(isSameTemplate(a, aTemplate('1.34.2'))).toBe(false);
});

test('a template keeps its name, and never takes that of another', () => {
  const known = [{ name: 'pool-kept', written: aTemplate('1.34.2') }];
  expect(nameOfTemplate('pool', aTemplate('1.34.2'), known)).toBe('pool-kept');
  const fresh = nameOfTemplate('pool', aTemplate('1.35.0'), known);
  const taken = [{ name: fresh, written: aTemplate('1.36.0') }];
  expect(nameOfTemplate('pool', aTemplate('1.35.0'), taken)).not.toBe(fresh);
});
