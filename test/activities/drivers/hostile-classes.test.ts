/**
 * Classes with objects where strings belong: no function of a driver throws, and one class stops no
 * other.
 */
import fc from 'fast-check';
import type { Driver } from '../../../activities/drivers/driver.ts';
import { createDrivers } from '../../../activities/drivers/index.ts';
import { listIn, listScopes } from '../../../activities/safety/orphans/list-scopes.ts';
import { aMachineClass, aSecret } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const drivers = [...createDrivers({ env: {}, allowsAmbientCredentials: false })];

/** Names that JavaScript reads by itself when it makes a text or a number of an object. */
const trap = fc.constantFrom('toString', 'valueOf', 'toJSON', 'constructor', '__proto__', 'length');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue({ maxDepth: 1 }),
    fc.dictionary(trap, tie('any'), { maxKeys: 3 }),
    fc.array(tie('any'), { maxLength: 2 }),
  ),
})).any;
const fields =
  'location resourceGroup tags cloudConfiguration properties region zone disks networkInterfaces metadata labels ' +
  'blockDevices iam size taints scheduling gpu placement keyName ami spotPrice name';
const field = fc.constantFrom(...fields.split(' '));
const hostileSpec = fc.oneof(fc.dictionary(field, value, { maxKeys: 6 }), value);

describe.each(drivers)('the driver of %s', (_provider, driver) => {
  test('lists the faults of any provider spec', () => {
    fc.assert(
      fc.property(hostileSpec, (spec) => {
        expect(Array.isArray(driver.validate(spec))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('lists the ignored keys of any provider spec', () => {
    fc.assert(
      fc.property(hostileSpec, (spec) => {
        expect(Array.isArray(driver.warnings?.(spec) ?? [])).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('has a list scope for any provider spec', () => {
    fc.assert(
      fc.property(hostileSpec, (spec) => {
        expect(typeof driver.listScope(spec)).toBe('string');
      }),
      { numRuns: 300 },
    );
  });

  test('has a scope of limits for any provider spec', () => {
    fc.assert(
      fc.property(hostileSpec, (spec) => {
        expect(typeof (driver.limitScope?.(spec) ?? '')).toBe('string');
      }),
      { numRuns: 300 },
    );
  });
});

test('the location of an Azure class may be an object that has no string form', () => {
  const azure = new Map(drivers).get('Azure');
  expect(azure?.listScope({ location: { toString: '' } })).toContain('toString');
});

describe('a class that makes its driver throw', () => {
  const throwing: Pick<Driver, 'listScope' | 'listInstances'> = {
    listScope(spec) {
      if (Object(spec).isHostile) throw new TypeError('cannot read the class');
      return '';
    },
    async listInstances({ providerSpec }) {
      if (Object(providerSpec).isHostile) throw new TypeError('cannot read the class');
      return [{ providerID: 'local:///a/1', machineName: 'm' }];
    },
  };
  const account = { namespace: 'shoot', cluster: 'c', provider: 'virtual' };

  test('a class that makes its driver throw fails its own scope, and the other classes are listed', async () => {
    const control = new InMemoryClient(
      aMachineClass({ metadata: { name: 'hostile' }, providerSpec: { isHostile: true } }),
      aMachineClass({ metadata: { name: 'small' } }),
      aSecret(),
    );
    const world = { driver: throwing, control, signal: () => new AbortController().signal };
    const scopes = await listScopes(world, account);
    const listings = await Promise.all(scopes.map((scope) => listIn(world, scope, account)));
    expect(listings.map(({ instances, error }) => ({ found: instances.length, error }))).toEqual([
      { found: 0, error: 'Internal: cannot read the class' },
      { found: 1, error: undefined },
    ]);
  });
});
