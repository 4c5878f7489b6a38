/** The drivers that the default worker serves, by the `provider` of a MachineClass. */
import type { Driver } from './driver.ts';
import { createLocalDriver } from './local/driver.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const builtInDrivers: Readonly<Record<string, (env: Environment) => Driver>> = {
  local: (env) => createLocalDriver({ url: env['MILLWRIGHT_VIRTUAL_CLOUD'] }),
};
