/** Where Temporal is: as the command line says, else as the watcher of the install has it. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { TemporalOptions } from '../options.ts';
import type { InstallFlags } from '../migrate/install.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What is given goes before what the flags of the watcher say. */
export function temporalOptionsOf(
  asked: TemporalOptions,
  install: Pick<InstallFlags, 'temporalAddress' | 'temporalNamespace'>,
  env: Environment,
): TemporalOptions {
  return {
    ...asked,
    temporalAddress: asked.temporalAddress ?? (isNamed(env) ? '' : install.temporalAddress),
    temporalNamespace:
      asked.temporalNamespace ?? (env['TEMPORAL_NAMESPACE'] ? '' : install.temporalNamespace),
  };
}

/** A variable that is set to nothing names nothing. */
function isNamed(env: Environment): boolean {
  return variables.some((name) => Boolean(env[name]));
}

/** Of what `temporalOptionsOf` returned: neither an option nor a variable says the address. */
export function isAddressOfWatcher(asked: TemporalOptions, found: TemporalOptions): boolean {
  return asked.temporalAddress === undefined && Boolean(found.temporalAddress);
}

const variables = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'];

/** Whether an address of Temporal is known: without one it is not asked. */
export function isTemporalKnown({ temporalAddress }: TemporalOptions, env: Environment): boolean {
  if (temporalAddress !== undefined && temporalAddress !== '') return true;
  return isNamed(env) || profileFiles(env).some(existsSync);
}

/** Where @temporalio/envconfig and the command `temporal` view for profiles. */
function profileFiles(env: Environment): string[] {
  const home = homedir();
  const folders = [
    env['XDG_CONFIG_HOME'] || join(home, '.config'),
    join(home, 'Library', 'Application Support'),
    ...(env['APPDATA'] ? [env['APPDATA']] : []),
  ];
  return folders.map((folder) => join(folder, 'temporalio', 'temporal.toml'));
}
