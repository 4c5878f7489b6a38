/** Which providers a worker serves. */
import { createDrivers } from '../../../activities/drivers/index.ts';
import { builtInProviders, isBuiltIn } from '../../../activities/drivers/providers.ts';

const providersOf = (env: Record<string, string>): string[] => [
  ...createDrivers({ env, allowsAmbientCredentials: false }).keys(),
];

describe('the providers of a worker', () => {
  test('do not include local, which Gardener uses for its own provider', () => {
    expect(providersOf({})).toEqual([...builtInProviders]);
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
  ['AWS', 'eu-west-1', { Region: 'eu-west-1' }],
  ['Azure', 'westeurope', { location: 'West Europe' }],
  ['GCP', 'europe-west1', { region: 'europe-west1', zone: 'europe-west1-b' }],
  ['virtual', '', { zone: 'b' }],
])('the limits of %s hold for "%s" of an account', (provider, scope, spec) => {
  const driver = createDrivers({ env: {}, allowsAmbientCredentials: false }).get(provider);
  expect(driver?.limitScope?.(spec) ?? '').toBe(scope);
});
