/** The drivers that the default worker serves, by the `provider` of a MachineClass. */
import type { Driver } from './driver.ts';
import { createAlicloudDriver } from './alicloud/driver.ts';
import { createAnexiaDriver } from './anexia/driver.ts';
import { createAwsDriver } from './aws/driver.ts';
import { createAzureDriver } from './azure/driver.ts';
import { createDigitalOceanDriver } from './digitalocean/driver.ts';
import { createGcpDriver } from './gcp/driver.ts';
import { createHetznerDriver } from './hetzner/driver.ts';
import { createKubevirtDriver } from './kubevirt/driver.ts';
import { createMetalDriver } from './metal/driver.ts';
import { createNutanixDriver } from './nutanix/driver.ts';
import { createOpenStackDriver } from './openstack/driver.ts';
import { createVcdDriver } from './vcd/driver.ts';
import { createVsphereDriver } from './vsphere/driver.ts';
import { createYandexDriver } from './yandex/driver.ts';
import { createVirtualDriver } from './virtual/driver.ts';
import { builtInProviders, type BuiltInProvider } from './providers.ts';
import type { DriverSettings } from './settings.ts';
import { providerSpecs, type CloudProvider } from './spec-faults.ts';
import { withSpelling } from './spec-spelling.ts';

type Create = (settings: DriverSettings) => Driver;

/** A factory makes no call and loads no SDK: most workers see one cloud only. */
const clouds: Readonly<Record<CloudProvider, Create>> = {
  AWS: createAwsDriver,
  Azure: createAzureDriver,
  GCP: createGcpDriver,
  OpenStack: createOpenStackDriver,
  vsphere: createVsphereDriver,
  kubevirt: createKubevirtDriver,
  hcloud: createHetznerDriver,
  digitalocean: createDigitalOceanDriver,
  Alicloud: createAlicloudDriver,
  yandex: createYandexDriver,
  metal: createMetalDriver,
  nutanix: createNutanixDriver,
  anexia: createAnexiaDriver,
  'vmware-cloud-director': createVcdDriver,
};

/** Specs of clouds are read as Go reads them. */
function builtIn(provider: BuiltInProvider, settings: DriverSettings): Driver {
  if (provider !== 'virtual')
    return withSpelling(providerSpecs[provider].schema, clouds[provider](settings));
  return createVirtualDriver({ url: settings.env['MILLWRIGHT_VIRTUAL_CLOUD'] });
}

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
    providers.map((provider) => [provider, builtIn(provider, settings)]),
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
