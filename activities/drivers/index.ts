/** The drivers that the default worker serves, by the `provider` of a MachineClass. */
import { createAwsDriver } from './aws/driver.ts';
import awsSchema from './aws/provider-spec.schema.json' with { type: 'json' };
import { createAzureDriver } from './azure/driver.ts';
import azureSchema from './azure/provider-spec.schema.json' with { type: 'json' };
import type { Driver } from './driver.ts';
import { createGcpDriver } from './gcp/driver.ts';
import gcpSchema from './gcp/provider-spec.schema.json' with { type: 'json' };
import { createVirtualDriver } from './virtual/driver.ts';
import type { DriverSettings } from './settings.ts';
import { withSpelling } from './spec-spelling.ts';

/**
 * A factory makes no call and loads no SDK: most workers see one cloud only. Specs of clouds that
 * MCM has drivers for are read as Go reads them.
 */
export const builtInDrivers: Readonly<Record<string, (settings: DriverSettings) => Driver>> = {
  AWS: (settings) => withSpelling(awsSchema, createAwsDriver(settings)),
  Azure: (settings) => withSpelling(azureSchema, createAzureDriver(settings)),
  GCP: (settings) => withSpelling(gcpSchema, createGcpDriver(settings)),
  virtual: ({ env }) => createVirtualDriver({ url: env['MILLWRIGHT_VIRTUAL_CLOUD'] }),
};

export function isBuiltIn(provider: string): boolean {
  return Object.hasOwn(builtInDrivers, provider);
}

/**
 * The drivers that a worker serves. `local` is the name of Gardener's own local provider, so the
 * virtual cloud takes it only where `MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL` is `true`, which the local
 * stack sets. Such a second name counts as the driver of another process everywhere else.
 */
export function createDrivers(settings: DriverSettings): Map<string, Driver> {
  const drivers = new Map(
    Object.entries(builtInDrivers).map(([provider, create]) => [provider, create(settings)]),
  );
  const virtual = drivers.get('virtual');
  const hasSecondName = settings.env['MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL'] === 'true';
  if (virtual && hasSecondName) drivers.set('local', virtual);
  return drivers;
}
