import { validateProviderSpec } from '../../../../activities/drivers/hetzner/validate.ts';
import { aSpec } from './hetzner-cloud.ts';

const { location: _, ...withoutPlace } = aSpec;

test.each([
  [aSpec],
  [{ ...withoutPlace, zone: 'hel1-dc2' }],
  [{ ...aSpec, zone: 'hel1-dc2' }],
  [{ ...aSpec, sshFingerprint: null, unknown: 1 }],
])('%j is a class that can be used', (spec) => {
  expect(validateProviderSpec(spec)).toEqual([]);
});

test.each([
  [{ ...withoutPlace }, 'providerSpec.location is missing: such as "hel1"'],
  [
    { ...aSpec, zone: 'fsn1-dc14' },
    'providerSpec.location: "hel1" is not that of providerSpec.zone, fsn1',
  ],
  [{ ...aSpec, cluster: undefined }, 'providerSpec.cluster is missing'],
  [
    { ...aSpec, placementGroupID: 'web' },
    'providerSpec.placementGroupID: "web" is not the ID of a placement group, as a string',
  ],
  ...['millwright.dev/token', 'hetzner.cloud/x', '-x'].map((key): [object, string] => [
    { ...aSpec, labels: { [key]: 'x' } },
    `providerSpec.labels: "${key}" is not the key of a label: up to 63 letters, digits, dashes, underscores and dots, after a prefix with a slash or none, but not millwright.dev, mcm.gardener.cloud or hetzner.cloud`,
  ]),
])('%j is refused: %s', (spec, message) => {
  expect(validateProviderSpec(spec)).toEqual([message]);
});
