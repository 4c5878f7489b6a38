/**
 * Which files a Secret may have this process send to a cloud: tokens of workload identities, and
 * nothing else.
 */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, normalize, resolve, sep } from 'node:path';
import type { Environment } from './settings.ts';

/** Where Gardener mounts the tokens of workload identities. */
const defaultDirectory = '/var/run/secrets/gardener.cloud/workload-identity';

/** `MILLWRIGHT_TOKEN_DIRECTORY` of the process, else where Gardener mounts them. */
export function tokenDirectory(env: Environment): string {
  return env['MILLWRIGHT_TOKEN_DIRECTORY'] || defaultDirectory;
}

/** For refusals where `DriverSettings.allowsTokenFiles` is off; the same words on all clouds. */
export const tokenFilesAreOff =
  'token files of the worker are used only if it runs with --token-files';

/**
 * Where several namespaces have tokens below one folder, each has a folder of its name there: a
 * worker uses none but that of its own.
 */
export function ownTokenDirectory(env: Environment, namespace: string): string {
  const shared = tokenDirectory(env);
  const own = join(shared, namespace);
  return existsSync(own) ? own : shared;
}

/** A Secret must not make the worker send any other of its files away, by no link either. */
export function isTokenFile(file: string, env: Environment): boolean {
  const folder = resolve(tokenDirectory(env));
  if (!isAbsolute(file) || !isBelow(normalize(file), folder)) return false;
  return !existsSync(file) || isBelow(realpathSync(file), realpathSync(folder));
}

function isBelow(path: string, folder: string): boolean {
  const start = normalize(`${folder}${sep}`);
  return path.startsWith(start) && path !== start;
}
