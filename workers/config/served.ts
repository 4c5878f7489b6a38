/** Work that a worker process serves: everything, or a part, with others beside it. */
import type { BuiltInProvider } from '../../activities/drivers/providers.ts';
import type { Fault } from './flags/parse.ts';
import type { FlagValues } from './flags/table.ts';

export interface ServedSettings {
  /** Workflows, and the activities that act on Kubernetes. Default true. */
  core: boolean;
  /** Default true. */
  drain: boolean;
  /** Providers whose queues are polled. Default all of `providers`. */
  drivers: readonly BuiltInProvider[];
  /** Those of them that wait for no MachineClass: they were named. Default none. */
  driversAtOnce: readonly BuiltInProvider[];
  /**
   * Drivers that the process has: for their queues, for drains that end with the deletion, and to
   * read provider specs. Default all built-in ones.
   */
  providers: readonly BuiltInProvider[];
}

type ServedFlags = Pick<FlagValues, 'serve' | 'providers'>;

export function servedOf({ serve, providers }: ServedFlags): ServedSettings {
  const { core, drain, drivers, namedDrivers } = serve;
  return {
    core,
    drain,
    drivers: drivers ? providers : namedDrivers,
    driversAtOnce: namedDrivers,
    providers,
  };
}

export function faultsOfServed({ serve, providers }: ServedFlags): Fault[] {
  const present = providers.join(',') || 'none';
  const faults = serve.namedDrivers
    .filter((provider) => !providers.includes(provider))
    .map(
      (provider) =>
        `--serve: "driver:${provider}" is not allowed; allowed: the drivers of --providers (${present})`,
    );
  const servesNothing = !serve.core && !serve.drain && providers.length === 0;
  if (faults.length === 0 && servesNothing) {
    faults.push('--serve: "driver" with --providers=none serves nothing; add a provider, or core');
  }
  return faults;
}
