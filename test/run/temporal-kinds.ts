/**
 * Which end-to-end tests run on which Temporal server. `npm test -- --temporal=postgresql` runs
 * those that can on a production server; `npm run test:all` runs the listed ones on it after all
 * others.
 */
import type { TemporalKind } from '../../deploy/local/options.ts';

/** What exchanges a database, kills one, or starts one more server, knows the kind of it. */
export const onlyOn: Readonly<Record<TemporalKind, readonly string[]>> = {
  development: ['outage-memory'],
  postgresql: ['outage-postgresql', 'outage-second-temporal'],
};

/**
 * Whose calls of Temporal differ most: every kind of workflow, searches, schedules, queries,
 * updates, long drains, killed processes, and the death of the server.
 */
export const alsoOnPostgresql: readonly string[] = [
  'drain-blocked',
  'health',
  'lifecycle',
  'outage',
  'queries',
  'rollout',
  'rollout-change',
  'safety-lost-workflows',
  'safety-rounds',
  'safety-schedules',
  'sets',
  'watcher-crash',
  'worker-crash',
];

export function runsOn(path: string, kind: TemporalKind): boolean {
  return !isOneOf(path, onlyOn[kind === 'development' ? 'postgresql' : 'development']);
}

/** Is it one of those that `npm run test:all` runs on PostgreSQL? */
export function isForPostgresql(path: string): boolean {
  return isOneOf(path, [...onlyOn.postgresql, ...alsoOnPostgresql]);
}

/** Paths end in the name and `.test.ts`. */
function isOneOf(path: string, names: readonly string[]): boolean {
  return names.some((name) => path.endsWith(`/${name}.test.ts`));
}
