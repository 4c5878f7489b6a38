/**
 * Which files a Secret may have this process send to a cloud: tokens of workload identities, and
 * nothing else.
 */
import { isAbsolute, normalize, resolve, sep } from 'node:path';
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

/** A Secret must not make the worker send any other of its files away. */
export function isTokenFile(file: string, env: Environment): boolean {
  const folder = normalize(`${resolve(tokenDirectory(env))}${sep}`);
  const path = normalize(file);
  return isAbsolute(file) && path.startsWith(folder) && path !== folder;
}
