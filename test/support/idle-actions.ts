/** What the checks of an install that rests cost on Temporal Cloud. */
import type { Check } from '../../workers/checks/checks.ts';

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

/** Actions a day. */
export function idleActionsOf(checks: readonly Check[]): number {
  return checks
    .map(({ name, sweepSeconds }) => {
      const ofRun = actionsOfStart + (idleActivities[name] ?? Number.NaN);
      return (daySeconds / sweepSeconds) * ofRun;
    })
    .reduce((total, actions) => total + actions, 0);
}
