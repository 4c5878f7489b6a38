/** What the checks of an install that rests cost on Temporal Cloud. */

/** One for the start of a run, and two for its Schedule. */
const actionsOfStart = 3;

/**
 * Activities of a run that finds nothing, an action each; of orphans with classes of one built-in
 * provider. An end-to-end test counts them in histories (`safety-schedules.test.ts`).
 */
export const idleActivities: Record<string, number> = {
  orphans: 2,
  overshoot: 1,
  'lost-workflows': 1,
  'unmanaged-nodes': 1,
  reachability: 1,
};

const daySeconds = 86_400;
/** Without another reason to search: workflows/plan/safety/orphan-reasons.ts. */
const periodsBetween = { install: 4, each: 3 };

export interface RestingInstall {
  namespaces: number;
  /** Between two rounds, which have one activity. */
  roundSeconds: number;
  orphanPeriodSeconds: number;
}

/** Actions a day: rounds, searches for orphans, and once a year a run of each check. */
export function idleActionsOf(install: RestingInstall): number {
  const { namespaces, roundSeconds, orphanPeriodSeconds } = install;
  const rounds = (daySeconds / roundSeconds) * (actionsOfStart + 1);
  const periods = Math.max(periodsBetween.install, periodsBetween.each * namespaces);
  const searches = (namespaces * daySeconds) / (periods * orphanPeriodSeconds);
  const runs = Object.values(idleActivities).map((activities) => actionsOfStart + activities);
  const yearly = runs.reduce((sum, actions) => sum + actions, 0) / 365;
  const ofSearch = actionsOfStart + (idleActivities['orphans'] ?? Number.NaN);
  return rounds + searches * ofSearch + namespaces * yearly;
}
