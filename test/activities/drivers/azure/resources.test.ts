/** What Gardener’s driver does not send in the same request, see `upstream.test.ts`. */
import { imageDiskOf, vmOf } from '../../../../activities/drivers/azure/resources.ts';
import {
  defaultSshKey,
  isPoint,
  publicKeyOfNobody,
} from '../../../../activities/drivers/azure/ssh-key.ts';
import { readSpec } from '../../../../activities/drivers/azure/validate.ts';
import { aSpec, galleryImage, someProperties } from './a-machine.ts';

const request = {
  cluster: 'c',
  machine: { namespace: 'n', name: 'm', uid: 'u' },
  token: 't',
  userData: '',
};
const parts = { nicId: '/nic', diskIds: new Map<number, string>() };

function blueprintOf(more: object) {
  return { spec: readSpec(aSpec({ properties: { ...someProperties, ...more } })), request };
}

const vmWith = (more: object) => vmOf(blueprintOf(more), parts);

test.each<[place: object, sent: object]>([
  [{ zone: 3 }, { zones: ['3'] }],
  [{ availabilitySet: { id: 'a' } }, { availabilitySet: { id: 'a' } }],
  [{ virtualMachineScaleSet: { id: 'a' } }, { virtualMachineScaleSet: { id: 'a' } }],
  [{ machineSet: { id: 'a', kind: 'vmo' } }, { virtualMachineScaleSet: { id: 'a' } }],
  [{ machineSet: { id: 'a', kind: 'availabilityset' } }, { availabilitySet: { id: 'a' } }],
])('a virtual machine with %j is placed by %j', (place, sent) => {
  const { zones, availabilitySet, virtualMachineScaleSet } = vmWith({ zone: null, ...place });
  const placed = { zones, availabilitySet, virtualMachineScaleSet };
  expect(JSON.parse(JSON.stringify(placed))).toEqual(sent);
});

test.each([
  { imageRef: galleryImage, imageId: undefined, is: { galleryImageReference: galleryImage } },
  { imageRef: { id: '/i' }, imageId: undefined, is: { imageReference: { id: '/i' } } },
  { imageRef: { urn: 'a:b:c:d' }, imageId: '/u', is: { imageReference: { id: '/u' } } },
  {
    imageRef: { sharedGalleryImageID: '/s' },
    imageId: undefined,
    is: { galleryImageReference: { sharedGalleryImageId: '/s' } },
  },
  {
    imageRef: { communityGalleryImageID: '/c' },
    imageId: undefined,
    is: { galleryImageReference: { communityGalleryImageId: '/c' } },
  },
])('a data disk is made of the image $imageRef', ({ imageRef, imageId, is }) => {
  const disk = { lun: 0, diskSizeGB: 1, storageAccountType: 'a', imageRef };
  expect(imageDiskOf(blueprintOf({}), disk, imageId)).toEqual({
    location: expect.any(String),
    tags: expect.objectContaining({ 'millwright.dev_token': 't' }),
    sku: { name: 'a' },
    diskSizeGB: 1,
    zones: ['2'],
    creationData: { createOption: 'FromImage', ...is },
  });
});

test('a virtual machine is bought by the plan of its image', () => {
  const plan = { name: 'greatest', publisher: 'sap', product: 'gardenlinux' };
  expect(vmOf(blueprintOf({}), { ...parts, plan })).toMatchObject({ plan });
});

test('spot has its defaults, and without it nothing is said', () => {
  expect(vmWith({ priority: 'Spot' })).toMatchObject({
    priority: 'Spot',
    evictionPolicy: 'Delete',
    billingProfile: { maxPrice: -1 },
  });
  expect(vmWith({ priority: 'Regular' })).not.toHaveProperty('priority');
});

test('fields that Gardener ignores are ignored', () => {
  const osProfile = { adminUsername: 'u', adminPassword: 'p', customData: 'd', computerName: 'x' };
  const sent = vmWith({ osProfile }).osProfile;
  expect(sent).toEqual({
    computerName: 'm',
    adminUsername: 'u',
    linuxConfiguration: {
      ssh: {
        publicKeys: [{ path: '/home/u/.ssh/authorized_keys', keyData: publicKeyOfNobody() }],
      },
    },
  });
});

describe('the key of a class that has none', () => {
  const rsa = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 operator';
  test('may be given by the operator', () => {
    const sshPublicKey = defaultSshKey({ MILLWRIGHT_AZURE_SSH_PUBLIC_KEY: `${rsa}\n` });
    const blueprint = { ...blueprintOf({}), ...(sshPublicKey && { sshPublicKey }) };
    const { linuxConfiguration } = vmOf(blueprint, parts).osProfile ?? {};
    expect(linuxConfiguration?.ssh?.publicKeys?.[0]?.keyData).toBe(rsa);
    expect(defaultSshKey({})).toBeUndefined();
  });

  test.each(['x', 'ssh-dss AAAA', 'ssh-rsa', `${rsa}\nssh-rsa AAAA`])(
    '%j is refused, and not shown',
    (key) => {
      const act = () => defaultSshKey({ MILLWRIGHT_AZURE_SSH_PUBLIC_KEY: key });
      expect(act).toThrow(
        'MILLWRIGHT_AZURE_SSH_PUBLIC_KEY: it is not a public key of OpenSSH that Azure takes: ssh-rsa or ssh-ed25519, a space, and base64',
      );
    },
  );
});

describe('the key without a private part', () => {
  const key = publicKeyOfNobody();
  const bytes = Buffer.from(key.split(' ')[1] ?? '', 'base64');

  test('the default key is the same each time, in the format of OpenSSH', () => {
    expect(publicKeyOfNobody()).toBe(key);
    expect(key).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]+ nobody$/);
    expect(bytes).toHaveLength(4 + 11 + 4 + 32);
  });

  test('the default key is a point on the curve', () => {
    expect(isPoint(bytes.subarray(-32))).toBe(true);
  });

  test.each([
    { name: 'the base point', hex: `58${'66'.repeat(31)}`, is: true },
    {
      name: 'of RFC 8032, test 1',
      hex: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      is: true,
    },
    { name: 'y = 2', hex: `02${'00'.repeat(31)}`, is: false },
    { name: 'y = 1, the neutral one', hex: `01${'00'.repeat(31)}`, is: false },
    { name: 'y beyond the prime', hex: 'ff'.repeat(32), is: false },
  ])('$name: $is', ({ hex, is }) => {
    expect(isPoint(Buffer.from(hex, 'hex'))).toBe(is);
  });
});
