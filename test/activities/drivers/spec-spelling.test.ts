/**
 * Keys in any case, as Go reads them: by a schema of our own, and by those of the drivers with the
 * example of each.
 */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { createDrivers } from '../../../activities/drivers/index.ts';
import { nearMissesOf, readingOf } from '../../../activities/drivers/spec-spelling.ts';

const ownSchema = {
  properties: {
    zone: { type: 'integer' },
    kind: { enum: ['a', 'b'] },
    caching: { enum: ['None', 'ReadOnly'], 'x-any-case': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    disks: { type: 'array', items: { $ref: '#/$defs/disk' } },
    pools: { items: { $ref: '#/$defs/pool' } },
    byName: { additionalProperties: { $ref: '#/$defs/disk' } },
  },
  $defs: {
    disk: { properties: { sizeGB: { type: 'integer' }, type: { enum: ['x'] } } },
    pool: { properties: { mode: { default: 'm' } } },
  },
};
const reading = readingOf(ownSchema);
const nearMisses = nearMissesOf(ownSchema);

describe('keys of a spec', () => {
  test.each([
    { name: 'in other letters', spec: { ZONE: 1 }, is: { zone: 1 } },
    { name: 'that are right win', spec: { ZONE: 1, zone: 2, Zone: 3 }, is: { zone: 2 } },
    {
      name: 'in lists, through a reference',
      spec: { Disks: [{ SizeGb: 1 }, 'text', null] },
      is: { disks: [{ sizeGB: 1 }, 'text', null] },
    },
    {
      name: 'of a map stay, and those in its values do not',
      spec: { LABELS: { Zone: 'a', KIND: '' }, byname: { SIZEGB: { sizegb: 1 } } },
      is: { labels: { Zone: 'a', KIND: '' }, byName: { SIZEGB: { sizeGB: 1 } } },
    },
    { name: 'that nobody knows stay', spec: { Other: { ZONE: 1 } }, is: { Other: { ZONE: 1 } } },
    {
      name: 'with an empty text where values are listed are absent',
      spec: { kind: '', disks: [{ type: '' }] },
      is: { disks: [{}] },
    },
    {
      name: 'whose values are read in any case have that of the schema',
      spec: { Caching: 'readonly', kind: 'A' },
      is: { caching: 'ReadOnly', kind: 'A' },
    },
    {
      name: 'whose values are read in any case keep one that is not listed',
      spec: { caching: { toString: 1 }, Caching: 'none' },
      is: { caching: { toString: 1 } },
    },
    {
      name: 'of a map of texts have an empty one for null, and elsewhere they are absent',
      spec: { labels: { a: null, b: 'c' }, byName: { a: null }, zone: null, disks: [null] },
      is: { labels: { a: '', b: 'c' }, byName: {}, disks: [null] },
    },
    {
      name: 'that are absent, or null, have their default',
      spec: { pools: [{ mode: null }, {}, { mode: 'n' }] },
      is: { pools: [{ mode: 'm' }, { mode: 'm' }, { mode: 'n' }] },
    },
  ])('$name', ({ spec, is }) => {
    expect(reading(spec)).toEqual(is);
  });

  test.each([undefined, null, 3, 'text', []])('%j is left alone', (spec) => {
    expect(reading(spec)).toEqual(spec);
  });
});

describe('a key that the schema does not know, or that another one goes before,', () => {
  test.each([
    {
      name: 'and that is a letter away from a field is warned of',
      spec: { labls: {}, disks: [{}, { sizGB: 1 }] },
      warnings: [
        'providerSpec.labls is not a field and is ignored; did you mean labels?',
        'providerSpec.disks[1].sizGB is not a field and is ignored; did you mean sizeGB?',
      ],
    },
    {
      name: 'in the values of a map as well, and its own keys are free',
      spec: { byName: { zones: { typ: 'x' } }, labels: { zon: 'a' } },
      warnings: ['providerSpec.byName.zones.typ is not a field and is ignored; did you mean type?'],
    },
    {
      name: 'in any case, because other letters do not count',
      spec: { ZONE: 1, KIND: 'a' },
      warnings: [],
    },
    {
      name: 'is named with the one that counts',
      spec: { ZONE: 1, zone: 2, Disks: [{ SizeGB: 1, sizegb: 2 }] },
      warnings: [
        'providerSpec.ZONE is ignored, as zone is there as well',
        'providerSpec.disks[0].SizeGB is ignored, as sizegb is there as well',
      ],
    },
    { name: 'but not beside the field itself', spec: { zone: 1, zones: 2 }, warnings: [] },
    { name: 'but not if it is another word', spec: { size: 1, lab: 2, hello: 3 }, warnings: [] },
    { name: 'and is endless is passed over', spec: { ['zone'.repeat(10_000)]: 1 }, warnings: [] },
    {
      name: 'is not looked for among thousands',
      spec: {
        ...Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`other-${index}`, 1])),
        labls: {},
      },
      warnings: [],
    },
    {
      name: 'is named twenty times at most',
      spec: { disks: Array.from({ length: 100 }, () => ({ typ: 'x' })) },
      warnings: Array.from({ length: 20 }, () => expect.stringContaining('typ')),
    },
  ])('$name', ({ spec, warnings }) => {
    expect(nearMisses(spec)).toEqual(warnings);
  });

  test.each([undefined, null, 3, 'text', [], { disks: 'no list', labels: null }])(
    'is not in %j',
    (spec) => {
      expect(nearMisses(spec)).toEqual([]);
    },
  );
});

const root = new URL('../../../', import.meta.url);
const drivers = createDrivers({ env: {}, allowsAmbientCredentials: false });

describe.each([
  { provider: 'AWS', file: 'aws' },
  { provider: 'Azure', file: 'azure' },
  { provider: 'GCP', file: 'gcp' },
])('$provider', ({ provider, file }) => {
  const example = readFileSync(new URL(`deploy/examples/clouds/${file}.yaml`, root), 'utf8');
  const schemaFile = `activities/drivers/${file}/provider-spec.schema.json`;
  const schema = JSON.parse(readFileSync(new URL(schemaFile, root), 'utf8'));
  const { providerSpec } = parseAllDocuments(example)
    .map((document) => document.toJS())
    .find(({ kind }) => kind === 'MachineClass');
  const driver = drivers.get(provider);

  test('takes a class with all its keys in other letters, and sees in it what stands there', () => {
    const loud = shouted(schema, providerSpec, schema);
    expect(Object.keys(Object(loud))).not.toEqual(Object.keys(providerSpec));
    expect(readingOf(schema)(loud)).toEqual(readingOf(schema)(providerSpec));
    expect(driver?.validate(loud)).toEqual([]);
    expect(driver?.listScope(loud)).toBe(driver?.listScope(providerSpec));
    expect(driver?.warnings?.(loud)).toEqual([]);
  });
});

test('an empty interfaceType is none for AWS, as for Gardener', () => {
  const ebs = { volumeType: 'gp3', volumeSize: 50 };
  const spec = {
    ami: 'ami-1',
    region: 'eu-west-1',
    machineType: 'm5.large',
    iam: { name: 'n' },
    networkInterfaces: [{ subnetID: 's', securityGroupIDs: ['g'], interfaceType: '' }],
    blockDevices: [{ ebs }],
    tags: { 'kubernetes.io/cluster/x': '1', 'kubernetes.io/role/node': '1' },
  };
  expect(drivers.get('AWS')?.validate(spec)).toEqual([]);
});

test.each([
  { provider: 'AWS', keys: ['kubernetes.io/cluster/x', 'kubernetes.io/role/node'] },
  { provider: 'Azure', keys: ['kubernetes.io-cluster-x', 'kubernetes.io-role-node'] },
])('of $provider, tags without a value are tags, as for Gardener', ({ provider, keys }) => {
  const tags = Object.fromEntries(keys.map((key) => [key, null]));
  const driver = drivers.get(provider);
  const faults = driver?.validate({ tags }) ?? [];
  expect(faults.filter((fault) => fault.includes('tags'))).toEqual([]);
  const filled = Object.fromEntries(keys.map((key) => [key, '']));
  expect(driver?.listScope({ tags })).toBe(driver?.listScope({ tags: filled }));
});

interface Shape {
  $ref?: string;
  $defs?: Record<string, Shape>;
  properties?: Record<string, Shape>;
  items?: Shape;
}

function shouted(shape: Shape | undefined, value: unknown, all: Shape): unknown {
  const name = shape?.$ref?.split('/').at(-1);
  const known = name === undefined ? shape : all.$defs?.[name];
  if (Array.isArray(value)) return value.map((item) => shouted(known?.items, item, all));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    known?.properties?.[key] ? key.toUpperCase() : key,
    shouted(known?.properties?.[key], item, all),
  ]);
  return Object.fromEntries(entries);
}
