/** A create that fails before it could make anything says so. */
import { wasUnsent } from '../../../activities/drivers/before-create.ts';
import { createDrivers } from '../../../activities/drivers/index.ts';
import { aRequest } from './a-request.ts';

const drivers = createDrivers({
  env: { MILLWRIGHT_VIRTUAL_CLOUD: 'http://127.0.0.1:1' },
  allowsAmbientCredentials: false,
});

test.each([
  ['AWS', 'a region', {}],
  ['AWS', 'credentials', { region: 'eu-west-1' }],
  ['Azure', 'a place', {}],
  ['Azure', 'credentials', { location: 'westeurope', resourceGroup: 'rg' }],
  ['GCP', 'credentials', {}],
  ['virtual', 'a cloud that listens', {}],
])('%s without %s', async (provider, _without, providerSpec) => {
  const creating = drivers.get(provider)?.createInstance(aRequest('m', { providerSpec }));
  const error: unknown = await creating?.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ settled: false });
  expect(error instanceof Error && wasUnsent(error)).toBe(true);
});
