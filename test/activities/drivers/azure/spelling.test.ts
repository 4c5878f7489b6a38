/**
 * A class as gardener-extension-provider-azure renders it, through the driver that a worker serves.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDrivers } from '../../../../activities/drivers/index.ts';
import type { AzureDouble } from '../../../doubles/azure/double.ts';
import { startAzureDouble } from '../../../doubles/azure/server.ts';
import { aMachine, aSpec, someProperties } from './a-machine.ts';

let double: AzureDouble;
beforeAll(async () => {
  double = await startAzureDouble({ operationMilliseconds: 1 });
});
afterAll(() => double.close());

test('the Azure field skipMarketPlaceAgreement, with its capital P, takes effect', async () => {
  const env = {
    MILLWRIGHT_AZURE_ENDPOINT: double.url,
    MILLWRIGHT_AZURE_AUTHORITY: double.url,
    MILLWRIGHT_AZURE_CA_FILE: double.caFile,
  };
  const driver = createDrivers({ env, allowsAmbientCredentials: false }).get('Azure');
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
