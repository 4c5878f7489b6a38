/** The drivers that the default worker serves, by the `provider` of a MachineClass. */
import { createAwsDriver } from './aws/driver.ts';
import awsSchema from './aws/provider-spec.schema.json' with { type: 'json' };
import { createAzureDriver } from './azure/driver.ts';
import azureSchema from './azure/provider-spec.schema.json' with { type: 'json' };
import type { Driver } from './driver.ts';
import { createGcpDriver } from './gcp/driver.ts';
import gcpSchema from './gcp/provider-spec.schema.json' with { type: 'json' };
import { createVirtualDriver } from './virtual/driver.ts';
import { builtInProviders, type BuiltInProvider } from './providers.ts';
import type { DriverSettings } from './settings.ts';
import { withSpelling } from './spec-spelling.ts';

/**
 * A factory makes no call and loads no SDK: most workers see one cloud only. Specs of clouds that
 * MCM has drivers for are read as Go reads them.
 */
export const builtInDrivers: Readonly<
  Record<BuiltInProvider, (settings: DriverSettings) => Driver>
> = {
  AWS: (settings) => withSpelling(awsSchema, createAwsDriver(settings)),
  Azure: (settings) => withSpelling(azureSchema, createAzureDriver(settings)),
  GCP: (settings) => withSpelling(gcpSchema, createGcpDriver(settings)),
  virtual: ({ env }) => createVirtualDriver({ url: env['MILLWRIGHT_VIRTUAL_CLOUD'] }),
};

/**
 * The name under which Gardener has its own local provider: the virtual cloud takes it only where
 * `MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL` is `true`, which the local stack sets. It counts as the
 * driver of another process everywhere else.
 */
const secondNameOfVirtual = 'local';

export type CreateDrivers = (
  settings: DriverSettings,
  providers: readonly BuiltInProvider[],
) => ReadonlyMap<string, Driver>;

/** The drivers that a worker has, of all built-in ones or of some. */
export function createDrivers(
  settings: DriverSettings,
  providers: readonly BuiltInProvider[] = builtInProviders,
): Map<string, Driver> {
  const drivers = new Map<string, Driver>(
    providers.map((provider) => [provider, builtInDrivers[provider](settings)]),
  );
  const virtual = drivers.get('virtual');
  const hasSecondName = settings.env['MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL'] === 'true';
  if (virtual && hasSecondName) drivers.set(secondNameOfVirtual, virtual);
  return drivers;
}

/** Of the driver that has this name, as flags name it. */
export function providerOf(name: string): string {
  return name === secondNameOfVirtual ? 'virtual' : name;
}
