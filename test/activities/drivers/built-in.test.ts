/** Which providers a worker serves. */
import { describe, expect, test } from 'vitest';
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
