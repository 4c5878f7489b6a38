/**
 * Which tests run when. `npm test` is for every change and for a newcomer, `npm run test:e2e` for
 * what is about to be called done, `npm run test:all` for the night.
 */
import { relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { isNightly } from './nightly.ts';
import { isEndToEnd } from './test-files.ts';

/** Each runs what the one before runs; only `e2e` leaves out the unit tests of `test`. */
export const tiers = ['test', 'e2e', 'all'] as const;
export type Tier = (typeof tiers)[number];

export const commandOf: Readonly<Record<Tier, string>> = {
  test: 'npm test',
  e2e: 'npm run test:e2e',
  all: 'npm run test:all',
};

/** End-to-end tests that walk the promises of README.md and docs/ once, kills included. */
export const walk: readonly string[] = [
  'adoption',
  'bad-input',
  'cli-read',
  'console-output',
  'crds',
  'creation-cases',
  'drain',
  'drain-blocked',
  'drain-steered',
  'driver-clouds',
  'early-end',
  'fleet',
  'gardener',
  'health',
  'idle',
  'installs',
  'lifecycle',
  'machine-class',
  'metrics',
  'node-sync',
  'outage',
  'payloads',
  'preservation',
  'queries',
  'rollout',
  'rollout-back',
  'rollout-pause',
  'rollout-stuck',
  'safety-orphans',
  'safety-overshoot',
  'safety-schedules',
  'sets',
  'setup',
  'split-workers',
  'stop',
  'versions',
  'watcher-crash',
  'worker-crash',
];

/**
 * Unit tests that a newcomer does not wait for: they need a program that takes minutes to build, or
 * half a minute of CPU and more. Paths begin so.
 */
export const patientUnits: readonly string[] = [
  'test/activities/drivers/aws/moto',
  'test/activities/drivers/openstack/services',
  'test/activities/drivers/vsphere/',
  'test/cli/completion/shells',
  'test/cli/conformance/trouble',
  'test/deploy/bridge/',
  'test/deploy/examples/driver-python',
  'test/deploy/helm/chart',
  'test/deploy/monitoring/alerts',
  'test/doubles/rest/readers',
  'test/linear-text',
  'test/live/',
  'test/simulation/',
  'test/tools/release',
  'test/workflows/machine-set/continue-as-new',
];

/** The first tier that runs this test file. */
export function tierOf(path: string): Tier {
  if (isEndToEnd(path)) {
    if (walk.some((name) => path.endsWith(`/${name}.test.ts`))) return 'test';
    return isNightly(path) ? 'all' : 'e2e';
  }
  return patientUnits.some((start) => relative(repository, path).startsWith(start))
    ? 'e2e'
    : 'test';
}

export function runsIn(path: string, tier: Tier): boolean {
  const first = tierOf(path);
  if (tier === 'e2e' && first === 'test') return isEndToEnd(path);
  return tiers.indexOf(first) <= tiers.indexOf(tier);
}

/** What a tier leaves out, in one line for each command that runs it. */
export function leftOut(files: readonly string[], tier: Tier): string[] {
  const left = files.filter((path) => !runsIn(path, tier));
  return tiers.flatMap((later) => {
    const those = left.filter((path) => tierOf(path) === later);
    if (those.length === 0) return [];
    const endToEnd = those.filter(isEndToEnd).length;
    const counts = [
      ...(endToEnd > 0 ? [`${endToEnd} end-to-end files`] : []),
      ...(those.length > endToEnd ? [`${those.length - endToEnd} files of unit tests`] : []),
    ];
    return [`${commandOf[later]}: ${counts.join(' and ')}`];
  });
}
