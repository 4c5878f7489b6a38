/** Writes to single objects that the API server refuses a MachineDeployment. */
import type { ObserveDeploymentInput } from '../contracts/machine-deployment-activities.ts';
import { planMachineDeployment } from '../plan/machine-deployment/plan.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import type { DeploymentRequeues } from '../plan/machine-deployment/rollout/refused-steps.ts';
import { statusSubject, subjectsOf } from '../plan/machine-deployment/rollout/refused-steps.ts';
import type { Refusals, Writes } from '../plan/requeues.ts';
import { isHeld, noteWrites } from '../plan/requeues.ts';
import { attemptNow } from '../runtime/turns.ts';
import { defined } from '../values/defined.ts';

/** For the next read. */
export function refusalInput(
  requeues: DeploymentRequeues,
): Pick<ObserveDeploymentInput, 'passOver' | 'refusal'> {
  const { refused } = requeues;
  const passOver = isHeld(requeues, 'refused', Date.now()) ? refused?.names : undefined;
  // A status cannot say of itself that it is refused.
  const isSayable = refused?.names.some((name) => name !== statusSubject) ?? false;
  return defined({ passOver, refusal: isSayable ? refused?.message : undefined });
}

/**
 * What the read tried is in `refused`, or needs no write any more; the rest is in the plan that
 * follows. Returns whether the status has to say something else of refusals than the read knew.
 */
export function noteRead(
  requeues: DeploymentRequeues,
  facts: DeploymentFacts,
  refused: Refusals | undefined,
): boolean {
  const before = requeues.refused;
  if (!before || isHeld(requeues, 'refused', Date.now())) {
    return refused ? noteRefusals(requeues, { tried: [], refused }) : false;
  }
  const planned = new Set(planMachineDeployment(facts, Date.now()).steps.flatMap(subjectsOf));
  const tried = before.names.filter((name) => !planned.has(name));
  return noteRefusals(requeues, { tried, refused });
}

/** Returns whether the status is to say something else of refusals than before. */
export function noteRefusals(requeues: DeploymentRequeues, writes: Writes): boolean {
  const before = requeues.refused?.message;
  noteWrites(requeues, writes, attemptNow());
  return requeues.refused?.message !== before;
}
