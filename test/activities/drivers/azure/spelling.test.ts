/**
 * A class as gardener-extension-provider-azure renders it, through the driver that a worker serves.
 */
import type { Driver } from '../../../../activities/drivers/driver.ts';
import { createDrivers } from '../../../../activities/drivers/index.ts';
import type { AzureDouble } from '../../../doubles/azure/double.ts';
import { startAzureDouble } from '../../../doubles/azure/server.ts';
import { aMachine, aSpec, living, someProperties, vmOf } from './a-machine.ts';

let double: AzureDouble;
let driver: Driver | undefined;
beforeAll(async () => {
  double = await startAzureDouble({ operationMilliseconds: 1 });
  const env = {
    MILLWRIGHT_AZURE_ENDPOINT: double.url,
    MILLWRIGHT_AZURE_AUTHORITY: double.url,
    MILLWRIGHT_AZURE_CA_FILE: double.caFile,
  };
  driver = createDrivers({ env, allowsAmbientCredentials: false }).get('Azure');
});
beforeEach(() => double.reset());
afterAll(() => double.close());

test('the Azure field skipMarketPlaceAgreement, with its capital P, takes effect', async () => {
  const { imageReference, dataDisks: _, ...storage } = someProperties.storageProfile;
  const storageProfile = {
    ...storage,
    imageReference: { ...imageReference, skipMarketPlaceAgreement: true },
    diskControllerType: '',
    osDisk: {
      ...storage.osDisk,
      caching: '',
      managedDisk: { securityProfile: { securityEncryptionType: '' } },
    },
  };
  const properties = { ...someProperties, storageProfile, securityProfile: { securityType: '' } };
  const providerSpec = aSpec({ properties });
  expect(driver?.validate(providerSpec)).toEqual([]);
  await driver?.createInstance(aMachine('m', { providerSpec }));
  expect(double.calls.filter(({ path }) => /publishers/i.test(path))).toEqual([]);
  expect(double.resources.created.get('m')).toBe(1);
});

function specWith(...dataDisks: object[]): object {
  const storageProfile = { ...someProperties.storageProfile, dataDisks };
  return aSpec({ properties: { ...someProperties, storageProfile } });
}

test('Azure gets the caching of a data disk as it spells it, in whatever case it is given', async () => {
  const disk = { lun: 1, diskSizeGB: 20, storageAccountType: 'Premium_LRS', caching: 'READwrite' };
  const request = aMachine('m', { providerSpec: specWith(disk) });
  expect(driver?.validate(request.providerSpec)).toEqual([]);
  await driver?.createInstance(request);
  const { storageProfile } = Object(vmOf(double, 'm')?.sent['properties']);
  expect(storageProfile.dataDisks).toMatchObject([{ caching: 'ReadWrite' }]);
});

describe('a data disk without a lun has the lun 0, as in Go', () => {
  const disk = { diskSizeGB: 20, storageAccountType: 'Premium_LRS' };

  test('it is made, and goes with its Machine although its virtual machine has gone before', async () => {
    const request = aMachine('m', { providerSpec: specWith(disk) });
    await driver?.createInstance(request);
    expect(living(double, 'm')).toContain('Microsoft.Compute/disks m-0-data-disk');
    double.resources.remove(vmOf(double, 'm')?.id ?? '');
    for (const resource of double.resources.all()) delete resource.managedBy;
    expect(await driver?.deleteInstance(request)).toEqual({ found: true });
    expect(living(double, 'm')).toEqual([]);
  });

  test.each([
    { name: 'null is none', disks: [{ ...disk, lun: null }], faults: [] },
    {
      name: 'a second one is one too many',
      disks: [disk, disk],
      faults: [expect.stringContaining('dataDisks[1].lun: 0 is that of dataDisks[0] already')],
    },
  ])('$name', ({ disks, faults }) => {
    expect(driver?.validate(specWith(...disks))).toEqual(faults);
  });

  test('a misspelled one is warned of', () => {
    const lunn = 3;
    expect(driver?.warnings?.(specWith({ ...disk, lunn }))).toEqual([
      expect.stringContaining('did you mean lun?'),
    ]);
  });
});
