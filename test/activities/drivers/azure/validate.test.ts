import { validateProviderSpec } from '../../../../activities/drivers/azure/validate.ts';
import { aSpec, someProperties, tags } from './a-machine.ts';

const withProperties = (more: object) => aSpec({ properties: { ...someProperties, ...more } });
const withStorage = (more: object) =>
  withProperties({ storageProfile: { ...someProperties.storageProfile, ...more } });
const { zone: _, ...unplaced } = someProperties;

test('a class of Gardener is valid, and unknown fields are ignored', () => {
  expect(validateProviderSpec(aSpec({ more: 1 }))).toEqual([]);
  expect(validateProviderSpec(withProperties({ networkProfile: null }))).toEqual([]);
});

test('an absent spec lists all that is missing', () => {
  expect(validateProviderSpec(undefined)).toEqual([
    'providerSpec.location is missing',
    'providerSpec.resourceGroup is missing',
    'providerSpec.subnetInfo is missing',
    'providerSpec.tags is missing',
    'providerSpec.properties is missing',
  ]);
});

describe('a fault', () => {
  const image = { urn: 'a:b:c:d' };
  test.each<[name: string, spec: unknown, fault: string]>([
    [
      'tag of the cluster',
      aSpec({ tags: { 'kubernetes.io-role-node': '1' } }),
      'providerSpec.tags: a key that begins with kubernetes.io-cluster- is missing',
    ],
    [
      'tag of the role',
      aSpec({ tags: { 'kubernetes.io-cluster-a': '1' } }),
      'providerSpec.tags: a key that begins with kubernetes.io-role- is missing',
    ],
    [
      'name of a tag',
      aSpec({ tags: { ...tags, 'a/b': '1' } }),
      'providerSpec.tags: "a/b" is not a name of a tag in Azure: 512 characters at most, none of < > % & \\ ? /',
    ],
    [
      'value of a tag',
      aSpec({ tags: { ...tags, a: 1 } }),
      'providerSpec.tags.a: 1 is not a string of at most 256 characters',
    ],
    [
      'no zone',
      aSpec({ properties: unplaced }),
      'providerSpec.properties: exactly one of zone, availabilitySet and virtualMachineScaleSet has to be given, and none is',
    ],
    [
      'two places',
      withProperties({ availabilitySet: { id: 'a' } }),
      'providerSpec.properties: exactly one of zone, availabilitySet and virtualMachineScaleSet has to be given, and zone and availabilitySet is',
    ],
    [
      'no image',
      withStorage({ imageReference: {} }),
      'providerSpec.properties.storageProfile.imageReference: exactly one of id, urn, communityGalleryImageID, sharedGalleryImageID has to be given, and none is',
    ],
    [
      'two images',
      withStorage({ imageReference: { ...image, id: 'x' } }),
      'providerSpec.properties.storageProfile.imageReference: exactly one of id, urn, communityGalleryImageID, sharedGalleryImageID has to be given, and id and urn is',
    ],
    [
      'urn',
      withStorage({ imageReference: { urn: 'a:b::d' } }),
      'providerSpec.properties.storageProfile.imageReference.urn: "a:b::d" is not of the form PUBLISHER:OFFER:SKU:VERSION, with four parts that are not empty',
    ],
    [
      'lun twice',
      withStorage({
        dataDisks: [1, 1].map((lun) => ({ lun, diskSizeGB: 1, storageAccountType: 'a' })),
      }),
      'providerSpec.properties.storageProfile.dataDisks[1].lun: 1 is that of dataDisks[0] already; each disk needs its own',
    ],
    [
      'image of a disk',
      withStorage({
        dataDisks: [{ lun: 0, diskSizeGB: 1, storageAccountType: 'a', imageRef: {} }],
      }),
      'providerSpec.properties.storageProfile.dataDisks[0].imageRef: exactly one of id, urn, communityGalleryImageID, sharedGalleryImageID has to be given, and none is',
    ],
    [
      'reservation',
      withProperties({ capacityReservation: { capacityReservationGroupID: 'x' } }),
      'providerSpec.properties.capacityReservation.capacityReservationGroupID: "x" is not of the form /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME',
    ],
    [
      'eviction without spot',
      withProperties({ evictionPolicy: 'Delete' }),
      'providerSpec.properties.evictionPolicy is only allowed with priority: Spot',
    ],
    [
      'price',
      withProperties({ priority: 'Spot', billingProfile: { maxPrice: 0 } }),
      'providerSpec.properties.billingProfile.maxPrice: 0 is not -1 or more than 0',
    ],
  ])('in %s', (_name, spec, fault) => {
    expect(validateProviderSpec(spec)).toEqual([fault]);
  });
});
