/** A create that fails before it could make anything says so. */
import { wasUnsent } from '../../../activities/drivers/before-create.ts';
import { createDrivers } from '../../../activities/drivers/index.ts';
import { aRequest } from './a-request.ts';

const drivers = createDrivers({
  env: { MILLWRIGHT_VIRTUAL_CLOUD: 'http://127.0.0.1:1' },
  allowsAmbientCredentials: false,
});

test.each([
  { provider: 'AWS', without: 'a region', providerSpec: {} },
  { provider: 'AWS', without: 'credentials', providerSpec: { region: 'eu-west-1' } },
  { provider: 'Azure', without: 'a place', providerSpec: {} },
  {
    provider: 'Azure',
    without: 'credentials',
    providerSpec: { location: 'westeurope', resourceGroup: 'rg' },
  },
  { provider: 'GCP', without: 'credentials', providerSpec: {} },
  { provider: 'virtual', without: 'a cloud that listens', providerSpec: {} },
])('$provider without $without', async ({ provider, providerSpec }) => {
  const creating = drivers.get(provider)?.createInstance(aRequest('m', { providerSpec }));
  const error: unknown = await creating?.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ settled: false });
  expect(error instanceof Error && wasUnsent(error)).toBe(true);
});
