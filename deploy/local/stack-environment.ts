import { join } from 'node:path';
import { repository } from './layout.ts';
import type { StackOptions } from './options.ts';
import { host } from './supervision/ports.ts';

const ownProfile = join(repository, 'deploy/local/temporal.toml');

/**
 * The variables of a person, without those that mean other servers than the stack's. Its own
 * Temporal server has neither the namespace nor the key and the certificates of the one that the
 * person works with, be they in variables or in a profile. One elsewhere is reached with them, in
 * its namespace `default`. And no proxy stands before this machine.
 */
export function stackEnvironment(
  { temporalAddress }: Pick<StackOptions, 'temporalAddress'>,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const isElsewhere = temporalAddress !== undefined;
  const kept = Object.entries(env).filter(([name]) => isElsewhere || !name.startsWith('TEMPORAL_'));
  return {
    ...Object.fromEntries(kept),
    ...(isElsewhere ? { TEMPORAL_NAMESPACE: 'default' } : { TEMPORAL_CONFIG_FILE: ownProfile }),
    ...withoutProxy(env['no_proxy'] ?? env['NO_PROXY'] ?? ''),
  };
}

/** Node asks the one, other programs the other. */
function withoutProxy(spared: string): Record<'no_proxy' | 'NO_PROXY', string> {
  const all = spared === '*' ? spared : [spared, host].filter((part) => part !== '').join(',');
  return { no_proxy: all, NO_PROXY: all };
}
