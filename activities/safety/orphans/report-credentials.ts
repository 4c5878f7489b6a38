import type { SafetyActivities } from '../../../workflows/contracts/safety-activities.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';

/** One class after the other: only those are written that do not say it. */
export async function reportCredentials(
  { refusals }: Pick<ActivityDependencies, 'refusals'>,
  { namespace, news }: Parameters<SafetyActivities['reportCredentials']>[0],
): Promise<void> {
  for (const { classNames, refusal } of news) {
    for (const name of classNames) {
      const ref = { namespace, name };
      if (refusal === undefined) await refusals.accepted(ref, 'listing');
      else await refusals.refused(ref, refusal, 'listing');
    }
  }
}
