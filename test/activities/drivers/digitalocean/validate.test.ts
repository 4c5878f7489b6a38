import { tagsIn, wordsOf } from '../../../../activities/drivers/digitalocean/tags.ts';
import { validateProviderSpec } from '../../../../activities/drivers/digitalocean/validate.ts';
import { aSpec } from './digitalocean-cloud.ts';

test.each([[aSpec], [{ ...aSpec, vpcUUID: null, unknown: 1, tags: ['env:prod'] }]])(
  '%j is a class that can be used',
  (spec) => {
    expect(validateProviderSpec(spec)).toEqual([]);
  },
);

test.each([
  [{ ...aSpec, size: undefined }, 'providerSpec.size is missing'],
  [
    { ...aSpec, region: 'Frankfurt' },
    'providerSpec.region: "Frankfurt" is not the slug of a region, such as "fra1"',
  ],
  [
    { ...aSpec, tags: ['Millwright-token:x'] },
    'providerSpec.tags: "Millwright-token:x": tags that begin with millwright- are set by Millwright',
  ],
  [
    { ...aSpec, publicNetworking: false, ipv6: true },
    'providerSpec.ipv6: true needs publicNetworking, which is false',
  ],
  [
    { ...aSpec, deleteWith: ['everything'] },
    'providerSpec.deleteWith[0]: "everything" is not one of reservedIPs, snapshots, volumes, volumeSnapshots',
  ],
])('%j is refused: %s', (spec, message) => {
  expect(validateProviderSpec(spec)).toEqual([message]);
});

test('words become tags and words again', () => {
  const words = ['env:prod', 'web', 'millwright-cluster:uid', 'millwright-alone'];
  const tags = {
    'env:prod': '',
    web: '',
    'millwright-cluster': 'uid',
    'millwright-alone': '',
  };
  expect(tagsIn(words)).toEqual(tags);
  expect(wordsOf(tags)).toEqual(words);
});
