import { validateProviderSpec } from '../../../../activities/drivers/alicloud/validate.ts';
import { aSpec } from './alicloud-world.ts';

const manyTags = {
  ...aSpec.tags,
  ...Object.fromEntries(Array.from({ length: 16 }, (_value, index) => [`t${index}`, ''])),
};

test('a class of the extension is valid', () => {
  expect(validateProviderSpec(aSpec)).toEqual([]);
  expect(validateProviderSpec({ ...aSpec, apiVersion: 'mcm.gardener.cloud/v1alpha1' })).toEqual([]);
});

test.each([
  [
    { region: 'evil.example.com/' },
    'providerSpec.region: "evil.example.com/" is not the name of a region',
  ],
  [{ imageID: undefined }, 'providerSpec.imageID is missing'],
  [{ securityGroupID: undefined }, 'providerSpec.securityGroupID is missing'],
  [{ instanceType: 7 }, 'providerSpec.instanceType: 7 is not'],
  [{ instanceChargeType: 'PrePaid' }, 'an instance that is paid for in advance cannot be deleted'],
  [
    { internetMaxBandwidthOut: 101 },
    'providerSpec.internetMaxBandwidthOut: 101 is not 100 or less',
  ],
  [
    { systemDisk: { category: 'cloud_essd', size: '50' } },
    'providerSpec.systemDisk.size: "50" is not',
  ],
  [{ dataDisks: [{ name: 'a b' }] }, 'providerSpec.dataDisks[0].name: "a b" is not'],
  [{ dataDisks: [{ description: 'x' }] }, 'a text of 2 to 256 characters'],
  [{ tags: { a: 'b' } }, 'without both no instance is found again'],
  [
    { tags: { ...aSpec.tags, 'acs:x': '' } },
    'that begins with none of aliyun, acs: and millwright.dev/',
  ],
  [{ tags: { ...aSpec.tags, 'millwright.dev/token': '' } }, 'that begins with none of'],
  [
    { tags: { ...aSpec.tags, a: 'https://x' } },
    'providerSpec.tags.a: "https://x" is not the value of a tag',
  ],
  [
    { tags: manyTags },
    'a map of up to 17 tags with such keys, as Alibaba Cloud takes 20 and three are ours',
  ],
])('%j is a fault: %s', (more, words) => {
  const faults = validateProviderSpec(JSON.parse(JSON.stringify({ ...aSpec, ...more })));
  // A wrong key is a fault of its map as well.
  expect(faults[0]).toContain(words);
});
