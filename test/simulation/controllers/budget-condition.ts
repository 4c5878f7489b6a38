/** The condition DisruptionAllowed of a PodDisruptionBudget. */
import { secondOf } from '../../support/api-server/naming.ts';
import type { BudgetStatus } from './budget.ts';
import type { Condition } from './objects.ts';

const type = 'DisruptionAllowed';

export interface Said {
  status: string;
  reason: string;
  message: string;
}

export function saidOfCount(disruptionsAllowed: number): Said {
  const isAllowed = disruptionsAllowed > 0;
  return {
    status: isAllowed ? 'True' : 'False',
    reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  };
}

export function saidOfFailure(message: string): Said {
  return { status: 'False', reason: 'SyncFailed', message };
}

export function conditionIn({ conditions }: Partial<BudgetStatus>): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** As it follows one that may be there. `now`: milliseconds since 1970. */
export function conditionAfter(
  last: Partial<BudgetStatus>,
  said: Said,
  { observedGeneration, now }: { observedGeneration: number; now: number },
): Condition {
  const present = conditionIn(last);
  const isSame = present?.status === said.status;
  return {
    type,
    ...said,
    ...(observedGeneration > 0 && { observedGeneration }),
    lastTransitionTime: (isSame ? present.lastTransitionTime : undefined) ?? secondOf(now),
  };
}
