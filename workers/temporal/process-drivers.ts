/** The drivers of a process, each in its pipeline; each namespace of a fleet has its own. */
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { Driver } from '../../activities/drivers/driver.ts';
import type { CreateDrivers } from '../../activities/drivers/index.ts';
import { ownTokenDirectory, tokenDirectory } from '../../activities/drivers/token-file.ts';
import { currentRun } from '../../activities/runtime/audit.ts';
import type { Config } from '../config/config.ts';
import type { MeterParts } from '../drivers/pipeline.ts';
import type { PaceParts } from '../drivers/pace.ts';
import { createPaces } from '../drivers/pace.ts';
import { driverPipeline } from '../drivers/pipeline.ts';
import type { Logger } from '../log/logger.ts';
import { registerDriverMetrics, registerPaceMetrics } from '../metrics/drivers.ts';

export type Drivers = ReadonlyMap<string, Driver>;

export interface ProcessDrivers {
  /** Of the process: to load libraries, and to read provider specs. */
  shared: Drivers;
  /**
   * Of one namespace of a fleet: the token files that its Secrets may name are in a folder of its
   * own, `MILLWRIGHT_TOKEN_DIRECTORY/NAMESPACE`. Without token files all share those of the
   * process. Accounts have one pace for all.
   */
  of(fleetNamespace: string | undefined): Drivers;
}

export interface DriverOptions {
  config: Pick<Config, 'virtualCloud' | 'drivers' | 'serves' | 'namespaces'>;
  registry: Registry;
  log: Logger;
  createDrivers: CreateDrivers;
}

export function createProcessDrivers(options: DriverOptions): ProcessDrivers {
  const { config, registry, log, createDrivers } = options;
  const { namespaces } = config;
  const env = { ...process.env, MILLWRIGHT_VIRTUAL_CLOUD: config.virtualCloud };
  const meter: MeterParts = {
    count: registerDriverMetrics(registry),
    report: (err, message, call) => log.error({ err, ...call, ...currentRun() }, message),
  };
  const pace: PaceParts = { ...registerPaceMetrics(registry), paces: createPaces() };

  function create(more: Record<string, string>): Drivers {
    const settings = { env: { ...env, ...more }, ...config.drivers };
    return new Map(
      [...createDrivers(settings, config.serves.providers)].map(([provider, driver]) => [
        provider,
        driverPipeline(driver, provider, { meter, pace }),
      ]),
    );
  }

  const shared = create(
    namespaces.kind === 'one'
      ? { MILLWRIGHT_TOKEN_DIRECTORY: ownTokenDirectory(env, namespaces.name) }
      : {},
  );
  return {
    shared,
    of(fleetNamespace) {
      const readsFiles = config.drivers.allowsTokenFiles;
      if (fleetNamespace === undefined || !readsFiles) return shared;
      return create({ MILLWRIGHT_TOKEN_DIRECTORY: join(tokenDirectory(env), fleetNamespace) });
    },
  };
}
