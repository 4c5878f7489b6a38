/**
 * How to reach the Temporal server: TEMPORAL_* variables and TOML profiles as for the `temporal`
 * command.
 */
import { existsSync } from 'node:fs';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { FlagValues } from './flags/table.ts';
import type { Fault } from './flags/parse.ts';
import { reasonOf } from '../log/reason.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface TemporalSettings {
  /** Default 127.0.0.1:7233. */
  address: string;
  /** Default "default". */
  namespace: string;
  /** TLS, API key and metadata, with `address` set. Holds secrets: never log it. */
  connection: NativeConnectionOptions & { address: string };
}

/** Flags win over variables, and variables over the profile. */
export function readTemporalSettings(
  flags: Pick<FlagValues, 'temporal-address' | 'temporal-namespace'>,
  env: Environment,
): { settings?: TemporalSettings; faults: Fault[] } {
  const faults = faultsIn(env);
  if (faults.length > 0) return { faults };
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({
      overrideEnvVars: withoutEmpty(env),
    });
    const address = flags['temporal-address'] || connectionOptions.address || '127.0.0.1:7233';
    const settings: TemporalSettings = {
      address,
      namespace: flags['temporal-namespace'] || namespace || 'default',
      connection: { ...connectionOptions, address },
    };
    return { settings, faults };
  } catch (error) {
    return {
      faults: [
        `the TEMPORAL_* variables or the Temporal profile cannot be read: ${reasonOf(error)}`,
      ],
    };
  }
}

/**
 * What @temporalio/envconfig would take in silence, and then connect differently from what was
 * meant.
 */
function faultsIn(env: Environment): Fault[] {
  const faults: Fault[] = [];
  const tls = env['TEMPORAL_TLS'];
  // Anything but "1" and "true" turns TLS off there, so that "yes" would send an API key in clear
  // text.
  if (tls && !['0', '1', 'true', 'false'].includes(tls)) {
    faults.push(`TEMPORAL_TLS: ${JSON.stringify(tls)} is not allowed; allowed: true, false, 1, 0`);
  }
  const file = env['TEMPORAL_CONFIG_FILE'];
  if (file && !existsSync(file)) {
    faults.push(`TEMPORAL_CONFIG_FILE: ${JSON.stringify(file)} does not exist`);
  }
  const has = (what: string) => Boolean(env[`${what}_PATH`] || env[`${what}_DATA`]);
  if (has('TEMPORAL_TLS_CLIENT_CERT') !== has('TEMPORAL_TLS_CLIENT_KEY')) {
    faults.push('TEMPORAL_TLS_CLIENT_CERT_* and TEMPORAL_TLS_CLIENT_KEY_* must be set together');
  }
  return faults;
}

/** A variable that is set to nothing means the same as one that is not set. */
function withoutEmpty(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}
