/** Writes for a MachineDeployment that the API server refused, from attempt to attempt. */
import type { ObserveDeploymentInput } from '../contracts/machine-deployment-activities.ts';
import type { MachineDeploymentState } from './state.ts';
import { defined } from '../values/defined.ts';
import { planMachineDeployment } from '../plan/machine-deployment/plan.ts';
import type { Refusals } from '../plan/machine-set/refused-machines.ts';
import { afterAttempt, areHeldBack } from '../plan/machine-set/refused-machines.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import {
  allowedSteps,
  statusSubject,
  subjectsOf,
} from '../plan/machine-deployment/rollout/refused-steps.ts';
import type { DeploymentPlan, DeploymentStep } from '../plan/machine-deployment/rollout/steps.ts';

export class DeploymentRefusals {
  readonly #state: Pick<MachineDeploymentState, 'refused'>;

  constructor(state: MachineDeploymentState) {
    this.#state = state;
  }

  /** Lets refused writes be tried at once: a missing object may be there now. */
  tryNow(): void {
    if (this.#state.refused) this.#state.refused.retryAt = 0;
  }

  /** For the next read. */
  get input(): Pick<ObserveDeploymentInput, 'passOver' | 'refusal'> {
    const { refused } = this.#state;
    const passOver = areHeldBack(refused, Date.now()) ? refused?.names : undefined;
    // A status cannot say of itself that it is refused.
    const isSayable = refused?.names.some((name) => name !== statusSubject) ?? false;
    return defined({ passOver, refusal: isSayable ? refused?.message : undefined });
  }

  allowed(facts: DeploymentFacts, plan: DeploymentPlan): DeploymentPlan {
    const { refused } = this.#state;
    return { ...plan, steps: allowedSteps(facts, plan.steps, { refused, now: Date.now() }) };
  }

  /**
   * Writes that the read tried are in `refused`, or are needed no more; the rest is in the plan
   * that follows. Returns whether the status has to say something else of refusals than the read
   * knew.
   */
  observed(facts: DeploymentFacts, refused: Refusals | undefined): boolean {
    const before = this.#state.refused;
    if (!before || areHeldBack(before, Date.now()))
      return refused ? this.#note([], refused) : false;
    const { steps } = planMachineDeployment(facts, Date.now());
    const planned = new Set(steps.flatMap(subjectsOf));
    const tried = before.names.filter((name) => !planned.has(name));
    return this.#note(tried, refused);
  }

  /** Returns whether the status is to say something else of refusals than before. */
  applied(steps: readonly DeploymentStep[], refused: Refusals | undefined): boolean {
    return this.#note(steps.flatMap(subjectsOf), refused);
  }

  #note(tried: readonly string[], refused: Refusals | undefined): boolean {
    const before = this.#state.refused?.message;
    const attempt = { tried, now: Date.now(), random: Math.random() };
    const after = afterAttempt(this.#state.refused, defined({ ...attempt, refused }));
    if (after) this.#state.refused = after;
    else delete this.#state.refused;
    return after?.message !== before;
  }
}
