/** The requests as data, and what the double makes of one that is not in the SDK's models. */
import { runInstances } from '../../../../activities/drivers/alicloud/run-instances.ts';
import { signedRequest } from '../../../../activities/drivers/alicloud/sdk.ts';
import { faultsOf } from '../../../doubles/alicloud/model.ts';
import { aliRequest, aSpec } from './alicloud-world.ts';

const credentials = { id: 'LTAI', secret: 'x' };

const queryOf = (input: object): Record<string, string> => {
  const { path } = signedRequest('RunInstances', input, { host: 'h', credentials });
  return Object.fromEntries(new URL(path, 'http://h').searchParams);
};

test('a class of the extension makes the request that MCM makes, and our tags and token', () => {
  const dataDisks = [
    { name: 'd1', category: 'cloud_essd', size: 20, encrypted: true },
    { name: 'd2', category: 'DiskEphemeralSSD', size: 30, description: 'local' },
    { name: 'd3', category: 'cloud_auto', size: 40, deleteWithInstance: false },
  ];
  const request = aliRequest('m-1', { providerSpec: { ...aSpec, dataDisks } });
  expect(queryOf(runInstances(request))).toEqual({
    RegionId: 'eu-central-1',
    ImageId: 'm-gw8iqj3z9vzpljm4v3ob',
    InstanceType: 'ecs.g7.large',
    ZoneId: 'eu-central-1a',
    SecurityGroupId: 'sg-gw8abc',
    VSwitchId: 'vsw-gw8abc',
    InstanceChargeType: 'PostPaid',
    InternetChargeType: 'PayByTraffic',
    InternetMaxBandwidthIn: '5',
    InternetMaxBandwidthOut: '0',
    SpotStrategy: 'NoSpot',
    KeyPairName: 'shoot--a--b-ssh-publickey',
    'SystemDisk.Category': 'cloud_essd',
    'SystemDisk.Size': '50',
    'DataDisk.1.Category': 'cloud_essd',
    'DataDisk.1.DeleteWithInstance': 'true',
    'DataDisk.1.DiskName': 'm-1-d1-data-disk',
    'DataDisk.1.Encrypted': 'true',
    'DataDisk.1.Size': '20',
    'DataDisk.2.Category': 'DiskEphemeralSSD',
    'DataDisk.2.Description': 'local',
    'DataDisk.2.DiskName': 'm-1-d2-data-disk',
    'DataDisk.2.Encrypted': 'false',
    'DataDisk.2.Size': '30',
    'DataDisk.3.Category': 'cloud_auto',
    'DataDisk.3.DeleteWithInstance': 'false',
    'DataDisk.3.DiskName': 'm-1-d3-data-disk',
    'DataDisk.3.Encrypted': 'false',
    'DataDisk.3.Size': '40',
    Amount: '1',
    InstanceName: 'm-1',
    UserData: Buffer.from(request.userData).toString('base64'),
    ClientToken: 'uid-of-m-1-0',
    'Tag.1.Key': 'kubernetes.io/cluster/shoot--a--b',
    'Tag.1.Value': '1',
    'Tag.2.Key': 'kubernetes.io/role/worker/shoot--a--b',
    'Tag.2.Value': '1',
    'Tag.3.Key': 'millwright.dev/cluster',
    'Tag.3.Value': 'cluster-1',
    'Tag.4.Key': 'millwright.dev/namespace',
    'Tag.4.Value': 'shoot',
    'Tag.5.Key': 'millwright.dev/token',
    'Tag.5.Value': 'uid-of-m-1-0',
    'Tag.6.Key': 'millwright.dev/machine-uid',
    'Tag.6.Value': 'uid-of-m-1',
  });
});

test('the same request has the same body, and a field that no class has is not sent', () => {
  const providerSpec = {
    ...aSpec,
    password: 'p',
    ramRoleName: 'admin',
    zoneID: '',
    keyPairName: '',
  };
  const request = aliRequest('m-1', { providerSpec });
  const sent = queryOf(runInstances(request));
  expect(sent).toEqual(queryOf(runInstances(request)));
  expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['Password']));
  expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['RamRoleName']));
  expect(sent).not.toHaveProperty('ZoneId');
});

test('a token that is too long, or no ASCII, becomes a digest of at most 64 characters', () => {
  for (const token of ['x'.repeat(65), 'ü']) {
    const { ClientToken: sent = '' } = queryOf(runInstances(aliRequest('m-1', { token })));
    expect(sent).toMatch(/^sha256_[0-9a-f]{48}$/);
  }
});

test('user data that are bytes are sent as they are', () => {
  const userDataBytes = Uint8Array.from([0x1f, 0x8b, 0xff]);
  const request = aliRequest('m-1', { userData: '', userDataBytes });
  expect(queryOf(runInstances(request))['UserData']).toBe('H4v/');
});

test('a class with 17 tags leaves room for ours, without the UID of the Machine', () => {
  const more = Object.fromEntries(Array.from({ length: 15 }, (_value, index) => [`t${index}`, '']));
  const providerSpec = { ...aSpec, tags: { ...aSpec.tags, ...more } };
  const sent = queryOf(runInstances(aliRequest('m-1', { providerSpec })));
  expect(Object.keys(sent).filter((key) => /^Tag\.\d+\.Key$/.test(key))).toHaveLength(20);
});

const faults = (query: Record<string, string>) => faultsOf('RunInstances', query);

test('the double knows a name, a place and a type that the models do not have', () => {
  expect(faults({ 'Tag.1.Key': 'a', Amount: '1', 'SystemDisk.Size': '40' })).toEqual([]);
  expect(faults({ Tags: 'a' })).toEqual(['Tags']);
  expect(faults({ 'Tag.0.Key': 'a' })).toEqual(['Tag.0.Key']);
  expect(faults({ 'Tag.1.Name': 'a' })).toEqual(['Tag.1.Name']);
  expect(faults({ Amount: 'one' })).toEqual(['Amount']);
  expect(faults({ 'DataDisk.1.DeleteWithInstance': 'yes' })).toEqual([
    'DataDisk.1.DeleteWithInstance',
  ]);
});
