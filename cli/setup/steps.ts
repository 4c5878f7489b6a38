/** Shared by the steps of `millwright setup`: what they found, and how they wait. */
import type { CheckResult } from '../command-line/check-result.ts';

/** `made`: by this call. */
export type SetupResult = CheckResult<
  'server' | 'namespace' | 'search attributes' | 'version',
  'there' | 'made' | 'missing'
>;

/** All services of a server read what is new within this. */
export const knownWithinMs = 60_000;
export const askEveryMs = 500;
