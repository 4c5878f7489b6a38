import type { MachineTemplateSpec } from '../../../../workflows/api/machine-set.ts';
import { isSameTemplate } from '../../../../workflows/plan/machine-deployment/template-equality.ts';
import { aTemplate } from '../../../support/builders.ts';

const { spec = {} } = aTemplate();

test.each<{ name: string; other: Partial<MachineTemplateSpec> }>([
  { name: 'an equal one', other: {} },
  {
    name: 'the hash label',
    other: { metadata: { labels: { pool: 'a', 'machine-template-hash': '42' } } },
  },
  { name: 'a time limit', other: { spec: { ...spec, drainTimeout: '1h' } } },
  { name: 'node conditions', other: { spec: { ...spec, nodeConditions: 'KernelDeadlock' } } },
  {
    name: 'labels of the Node',
    other: { spec: { ...spec, nodeTemplate: { metadata: { labels: { x: 'y' } } } } },
  },
  { name: 'the kind of the class', other: { spec: { class: { name: 'small' } } } },
  { name: 'no annotations', other: { metadata: { labels: { pool: 'a' }, annotations: {} } } },
])('makes the same machines: $name', ({ other }) => {
  expect(isSameTemplate(aTemplate(), aTemplate(other))).toBe(true);
  expect(isSameTemplate(aTemplate(other), aTemplate())).toBe(true);
});

test.each<{ name: string; other: Partial<MachineTemplateSpec> }>([
  { name: 'another class', other: { spec: { class: { kind: 'MachineClass', name: 'large' } } } },
  {
    name: 'another group',
    other: { spec: { class: { kind: 'MachineClass', name: 'small', apiGroup: 'x' } } },
  },
  { name: 'a providerID', other: { spec: { ...spec, providerID: 'local:///z/i' } } },
  { name: 'another label', other: { metadata: { labels: { pool: 'b' } } } },
  { name: 'one label more', other: { metadata: { labels: { pool: 'a', x: 'y' } } } },
  {
    name: 'an annotation',
    other: { metadata: { labels: { pool: 'a' }, annotations: { x: 'y' } } },
  },
])('makes other machines: $name', ({ other }) => {
  expect(isSameTemplate(aTemplate(), aTemplate(other))).toBe(false);
});

test.each([
  { name: 'an annotation', metadata: { annotations: { x: 'y', z: '' } }, isSame: false },
  {
    name: 'a label',
    metadata: { annotations: { x: 'y' }, labels: { pool: 'a', z: '' } },
    isSame: true,
  },
])('$name without a value beside another: the same machines: $isSame', ({ metadata, isSame }) => {
  const labels = { pool: 'a' };
  const template = aTemplate({ metadata: { labels, annotations: { x: 'y' } } });
  expect(isSameTemplate(template, aTemplate({ metadata: { labels, ...metadata } }))).toBe(isSame);
});

test('two empty templates are the same', () => {
  expect(isSameTemplate({}, { metadata: {}, spec: {} })).toBe(true);
});
