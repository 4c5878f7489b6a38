/**
 * What a rollout does to Nodes. It runs beside the loop: the target cluster may be out of reach.
 */
import type { ObjectReference } from '../contracts/references.ts';
import { standsStill } from '../plan/machine-deployment/plan.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import { notKept } from '../plan/machine-deployment/rollout/repeated-steps.ts';
import type { NodeStep } from '../plan/machine-deployment/rollout/steps.ts';
import { RateLimit } from '../plan/rate-limit.ts';
import { failed, forget, isHeld } from '../plan/requeues.ts';
import { messageOf, singleAttempt } from '../runtime/activity-options.ts';
import { shouldContinueAsNew } from '../runtime/continue-as-new.ts';
import { countDecision } from '../runtime/decisions.ts';
import { attemptNow } from '../runtime/turns.ts';
import type { MachineDeploymentState } from './state.ts';

/**
 * What a step of an update in place writes to Nodes is read from Machines, to which their workflows
 * copy it a moment later: news of that come by themselves.
 */
const settlingMs = 5_000;

const effectOf = ({ reason: _words, ...effect }: NodeStep): string => JSON.stringify(effect);

export class NodeWork {
  readonly #state: Pick<MachineDeploymentState, 'requeues' | 'protectedNodes'>;
  readonly #onEnd: () => void;
  /** By the reason of a step: what another controller takes back is planned again and again. */
  readonly #limit = new RateLimit();
  /** The step of an update in place that was done last, and when, milliseconds. */
  #done: { step: string; at: number } | undefined;
  #isRunning = false;

  /** `onEnd`: the loop has news. */
  constructor(state: MachineDeploymentState, onEnd: () => void) {
    this.#state = state;
    this.#onEnd = onEnd;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** When a step that was just done may be done once more, milliseconds; undefined: now. */
  get waitsUntil(): number | undefined {
    const until = (this.#done?.at ?? -Infinity) + settlingMs;
    return until > Date.now() ? until : undefined;
  }

  /** Begins the step unless another one runs, or it is too early. */
  follow(step: NodeStep | undefined, deployment: ObjectReference, facts: DeploymentFacts): void {
    const { requeues } = this.#state;
    if (this.#isRunning) return;
    if (!step) {
      forget(requeues, 'nodes');
      this.#done = undefined;
      return;
    }
    const now = Date.now();
    // Work that runs would keep a run that grew long from ending.
    if (shouldContinueAsNew() || isHeld(requeues, 'nodes', now)) return;
    if (this.#hasJustDone(step)) return;
    const notBefore = this.#limit.when(step.reason, now, Math.random);
    if (notBefore !== undefined) {
      failed(requeues, 'nodes', { message: notKept([step]), ...attemptNow(), notBefore });
      return;
    }
    countDecision('machineDeployment', step.action);
    // A time that has passed would wake the loop again and again while the work runs.
    if (requeues.nodes) requeues.nodes.retryAt = 0;
    this.#isRunning = true;
    void this.#do(step, deployment, facts).finally(() => {
      this.#isRunning = false;
      this.#onEnd();
    });
  }

  #hasJustDone(step: NodeStep): boolean {
    const isSame = effectOf(step) === this.#done?.step;
    if (isSame && this.waitsUntil !== undefined) return true;
    this.#done = undefined;
    return false;
  }

  async #do(step: NodeStep, deployment: ObjectReference, facts: DeploymentFacts): Promise<void> {
    const state = this.#state;
    // OnDelete and holds last as long as people take.
    const isBrief = facts.strategy !== 'OnDelete' && !standsStill(facts, Date.now());
    const protects = facts.protectsNodes && isBrief;
    try {
      const { updateRolloutNodes } = singleAttempt(step.reason);
      const outcome = await updateRolloutNodes({ deployment, step, protects });
      const known = step.action === 'releaseNodes' ? [] : (state.protectedNodes ?? []);
      state.protectedNodes = [...new Set([...known, ...outcome.protectedNodes])];
      forget(state.requeues, 'nodes');
      if ('machines' in step) this.#done = { step: effectOf(step), at: Date.now() };
    } catch (error) {
      failed(state.requeues, 'nodes', { message: messageOf(error), ...attemptNow() });
    }
  }
}
