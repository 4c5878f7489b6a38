/** Which providers a worker serves. */
import { createDrivers } from '../../../activities/drivers/index.ts';
import { isBuiltIn } from '../../../activities/drivers/providers.ts';

const providersOf = (env: Record<string, string>): string[] => [
  ...createDrivers({ env, allowsAmbientCredentials: false }).keys(),
];

describe('the providers of a worker', () => {
  test('do not include local, which Gardener uses for its own provider', () => {
    expect(providersOf({})).toEqual(['AWS', 'Azure', 'GCP', 'virtual']);
  });

  test('include local where the local stack asks for it', () => {
    expect(providersOf({ MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL: 'true' })).toContain('local');
  });

  test.each(['constructor', 'toString', '__proto__', 'local', ''])(
    'a class with provider "%s" has no built-in driver',
    (provider) => {
      expect(isBuiltIn(provider)).toBe(false);
    },
  );
});

test.each([
  { provider: 'AWS', spec: { Region: 'eu-west-1' }, scope: 'eu-west-1' },
  { provider: 'Azure', spec: { location: 'West Europe' }, scope: 'westeurope' },
  {
    provider: 'GCP',
    spec: { region: 'europe-west1', zone: 'europe-west1-b' },
    scope: 'europe-west1',
  },
  { provider: 'virtual', spec: { zone: 'b' }, scope: '' },
])('the limits of $provider hold for "$scope" of an account', ({ provider, spec, scope }) => {
  const driver = createDrivers({ env: {}, allowsAmbientCredentials: false }).get(provider);
  expect(driver?.limitScope?.(spec) ?? '').toBe(scope);
});
