/** Texts that name things: providerIDs, regions, scopes, tags, volumes. */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import { parseProviderId, providerIdOf } from '../../../../activities/drivers/aws/provider-id.ts';
import { regionOf } from '../../../../activities/drivers/aws/client.ts';
import { belongsTo, mcmTagKeysOf } from '../../../../activities/drivers/aws/tags.ts';
import { aSpec } from './a-class.ts';

test('a providerID is read as it was written', () => {
  const providerID = providerIdOf('eu-west-1', 'i-0a1');
  expect(providerID).toBe('aws:///eu-west-1/i-0a1');
  expect(parseProviderId(providerID)).toEqual({ place: 'eu-west-1', instanceId: 'i-0a1' });
});

test.each(['', 'i-0a1', 'gce:///eu/i-0a1', 'aws:///eu.example.com/i-0a1', 'aws:///eu/vol-1'])(
  '"%s" is no providerID of AWS',
  (providerID) => {
    expect(() => parseProviderId(providerID)).toThrow(
      expect.objectContaining({
        code: 'InvalidArgument',
        message: `spec.providerID: "${providerID}" is not of the form aws:///REGION/INSTANCE_ID`,
      }),
    );
  },
);

test.each([
  { name: 'the class says it', providerID: undefined, expected: 'eu-west-1' },
  { name: 'another of the instance', providerID: 'aws:///us-east-1/i-1', expected: 'us-east-1' },
  { name: 'a zone of the region', providerID: 'aws:///eu-west-1a/i-1', expected: 'eu-west-1' },
])('the region of an AWS class: $name', ({ providerID, expected }) => {
  expect(regionOf(aSpec(), providerID)).toBe(expected);
});

test.each([undefined, {}, { region: 5 }, { region: 'a.example.com' }, 'text'])(
  'a spec without a region, %j, says so',
  (spec) => {
    expect(() => regionOf(spec)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('providerSpec.region') }),
    );
  },
);

describe('belongs to a cluster and namespace', () => {
  const owner = { cluster: 'c', namespace: 'n', mcmTagKeys: mcmTagKeysOf(aSpec()) };
  const mcm = { 'kubernetes.io/cluster/shoot': '1', 'kubernetes.io/role/node': '' };
  const ours = { 'millwright.dev/cluster': 'c', 'millwright.dev/namespace': 'n' };

  test.each([
    ['MCM made it', true, mcm],
    ['we made it', true, { ...mcm, ...ours }],
    ['we made it for a class with other tags', true, ours],
    ['of another cluster', false, { ...mcm, ...ours, 'millwright.dev/cluster': 'x' }],
    ['of another namespace', false, { ...mcm, ...ours, 'millwright.dev/namespace': 'x' }],
    ['without a role', false, { 'kubernetes.io/cluster/shoot': '1' }],
    ['without tags', false, {}],
  ])('%s: %s', (_name, expected, tags) => {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    expect(belongsTo({ Tags }, owner)).toBe(expected);
  });

  test('a class without the tags of MCM owns nothing of it', () => {
    const none = {
      ...owner,
      mcmTagKeys: mcmTagKeysOf({ tags: { 'kubernetes.io/role/node': '1' } }),
    };
    const Tags = Object.entries(mcm).map(([Key, Value]) => ({ Key, Value }));
    expect(belongsTo({ Tags }, none)).toBe(false);
  });
});

test('the SDK can be loaded before the first call', async () => {
  const driver = createAwsDriver({ env: {}, allowsAmbientCredentials: false });
  expect(await driver.prepare?.()).toBeUndefined();
});

test('classes of one region and cluster have one scope', () => {
  const { listScope } = createAwsDriver({ env: {}, allowsAmbientCredentials: false });
  const scope = listScope(aSpec());
  expect(scope).toBe(
    JSON.stringify(['eu-west-1', 'kubernetes.io/cluster/shoot', 'kubernetes.io/role/node']),
  );
  expect(listScope(aSpec({ machineType: 'c5.large', ami: 'ami-2' }))).toBe(scope);
  expect(listScope(aSpec({ region: 'us-east-1' }))).not.toBe(scope);
  expect(listScope(aSpec({ tags: { ...aSpec().tags, team: 'a' } }))).toBe(scope);
  expect(listScope(undefined)).toBe('[null]');
});

const csi = (driver: string, volumeHandle: string) => ({ csi: { driver, volumeHandle } });
const inTree = (volumeID: unknown) => ({ awsElasticBlockStore: { volumeID } });

test('volumeIds finds volumes of EBS in all spellings, in their order, and passes over others', async () => {
  const specs = [
    inTree('vol-1'),
    csi('pd.csi.storage.gke.io', 'vol-x'),
    inTree('aws:///vol-2'),
    csi('ebs.csi.aws.com', 'vol-3'),
    inTree('aws://eu-west-1a/vol-4'),
    { hostPath: {} },
    inTree('disk-5'),
    inTree(undefined),
    csi('ebs.csi.aws.com', ''),
  ];
  const driver = createAwsDriver({ env: {}, allowsAmbientCredentials: false });
  expect(await driver.volumeIds(specs)).toEqual(['vol-1', 'vol-2', 'vol-3', 'vol-4']);
});
