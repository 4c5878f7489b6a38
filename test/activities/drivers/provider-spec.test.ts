import { withDefaults } from '../../../activities/drivers/virtual/provider-spec.ts';
import { validateProviderSpec } from '../../../activities/drivers/virtual/validate.ts';

test.each([undefined, null, {}])('the provider spec %p is enough for the virtual cloud', (spec) => {
  expect(validateProviderSpec(spec)).toEqual([]);
  expect(withDefaults(spec)).toEqual({
    zone: 'a',
    size: 'small',
    labels: {},
    annotations: {},
    taints: [],
    tags: {},
    needsInitialization: false,
  });
});

test('a provider spec of the virtual cloud may have every field', () => {
  const spec = {
    zone: 'eu-1',
    size: 'large',
    labels: { a: 'b' },
    annotations: { c: 'd' },
    taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }],
    tags: { e: 'f' },
    needsInitialization: true,
  };
  expect(validateProviderSpec(spec)).toEqual([]);
  expect(withDefaults(spec)).toEqual(spec);
});

test.each<{ name: string; spec: unknown; says: string }>([
  {
    name: 'an unknown size',
    spec: { size: 'huge' },
    says: 'providerSpec.size: "huge" is not one of small, medium, large',
  },
  {
    name: 'an unknown field',
    spec: { sise: 'small' },
    says: 'providerSpec.sise is not a field; fields are zone, size, labels, annotations, taints, tags, needsInitialization',
  },
  {
    name: 'a field named like an inherited one',
    spec: { constructor: 'x' },
    says: 'providerSpec.constructor is not a field; fields are zone, size, labels, annotations, taints, tags, needsInitialization',
  },
  {
    name: 'a zone with a slash',
    spec: { zone: 'a/b' },
    says: 'providerSpec.zone: "a/b" is not a name of lower-case letters, digits and dashes',
  },
  {
    name: 'a label that YAML made a number',
    spec: { labels: { count: 1 } },
    says: 'providerSpec.labels.count: 1 is not a string: put it in quotes',
  },
  {
    name: 'a taint without an effect',
    spec: { taints: [{ key: 'k' }] },
    says: 'providerSpec.taints[0].effect: nothing is not one of NoSchedule, PreferNoSchedule, NoExecute',
  },
  { name: 'a text', spec: 'small', says: 'providerSpec: "small" is not an object' },
])('a provider spec of the virtual cloud is refused by name and value: $name', ({ spec, says }) => {
  expect(validateProviderSpec(spec)).toEqual([says]);
});

test('all faults of a provider spec are reported at once', () => {
  expect(validateProviderSpec({ size: 'huge', zone: 1 })).toHaveLength(2);
});
