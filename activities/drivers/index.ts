/** The drivers that the default worker serves, by the `provider` of a MachineClass. */
import { createAwsDriver } from './aws/driver.ts';
import type { Driver } from './driver.ts';
import { createLocalDriver } from './local/driver.ts';
import type { DriverSettings } from './settings.ts';

/** A factory makes no call and loads no SDK: most workers see one cloud only. */
export const builtInDrivers: Readonly<Record<string, (settings: DriverSettings) => Driver>> = {
  AWS: createAwsDriver,
  local: ({ env }) => createLocalDriver({ url: env['MILLWRIGHT_VIRTUAL_CLOUD'] }),
};
