/** Where commands look for Temporal. */
import { isTemporalKnown, temporalOptionsOf } from '../../../cli/connection/temporal-options.ts';

const install = { temporalAddress: 'temporal.svc:7233', temporalNamespace: 'machines' };

test.each([
  { env: {}, address: 'temporal.svc:7233' },
  { env: { TEMPORAL_ADDRESS: 'here:7233' }, address: '' },
  { env: { TEMPORAL_PROFILE: 'prod' }, address: '' },
  { env: { TEMPORAL_CONFIG_FILE: 'temporal.toml' }, address: '' },
  // What is set to nothing is not set: the watcher knows better than a default.
  { env: { TEMPORAL_ADDRESS: '' }, address: 'temporal.svc:7233' },
])('with $env the address of the watcher is taken: $address', ({ env, address }) => {
  const options = temporalOptionsOf({}, install, env);
  expect(options.temporalAddress).toBe(address);
  expect(isTemporalKnown(options, env)).toBe(true);
});

test.each([
  { env: {}, namespace: 'machines' },
  { env: { TEMPORAL_NAMESPACE: 'mine' }, namespace: '' },
  { env: { TEMPORAL_NAMESPACE: '' }, namespace: 'machines' },
])('with $env the namespace of the watcher is taken: $namespace', ({ env, namespace }) => {
  expect(temporalOptionsOf({}, install, env).temporalNamespace).toBe(namespace);
});

test('an option goes before all of that', () => {
  const asked = { temporalAddress: 'there:7233', temporalNamespace: 'theirs' };
  const env = { TEMPORAL_ADDRESS: 'here:7233', TEMPORAL_NAMESPACE: 'mine' };
  expect(temporalOptionsOf(asked, install, env)).toEqual(asked);
});
