/** Asks the cloud whether it has the instance, and acts when it has none and no Node says more. */
import { isCancellation } from '@temporalio/workflow';
import type { DescribeOutcome } from '../../contracts/missing-instance-activities.ts';
import type { DriverRequest } from '../../contracts/driver-activities.ts';
import type { LifeRef } from '../../contracts/references.ts';
import { setPhase, showLoss } from '../phase.ts';
import type { MachineState } from '../state.ts';
import { defined } from '../../values/defined.ts';
import { describedBy } from '../../contracts/driver-answers.ts';
import type { HealthFinding } from '../../plan/machine/health.ts';
import { lookSteps, messageOf, shortStep } from '../../runtime/activity-options.ts';

export async function describeInstance(state: MachineState, request: DriverRequest): Promise<void> {
  const { loss } = state;
  if (!loss) return;
  const asked = { ...request, providerID: loss.providerID };
  noteAnswer(state, await answerOf(asked), Date.now());
}

async function answerOf(request: DriverRequest): Promise<DescribeOutcome> {
  const { provider, providerID = '' } = request;
  try {
    const { describeInstance: ask } = lookSteps(provider, `is ${providerID} there?`);
    const asked = { provider, usesTarget: false, isCancelled: false };
    return describedBy(await ask(request), asked);
  } catch (error) {
    const message = isCancellation(error) ? 'not asked any more' : messageOf(error);
    return { outcome: 'failed', failure: { code: 'Unknown', message, isSettled: true } };
  }
}

export async function recordLoss(state: MachineState, machine: LifeRef): Promise<void> {
  const { instance } = state;
  if (!instance) return;
  const { providerID, nodeName } = instance;
  const input = { machine, instance: { providerID, nodeName } };
  const outcome = await shortStep((steps) => steps.recordLoss(input), `${providerID} is gone`);
  if (outcome.found === 'lost') setPhase(state, 'Failed');
  // Told again by the next run of the check.
  else endLoss(state);
}

/** The cloud has answered. A cloud that says nothing proves nothing: the next run of the check tells again. */
function noteAnswer(state: MachineState, answer: DescribeOutcome, now: number): void {
  const { loss } = state;
  if (!loss) return;
  if (answer.outcome !== 'missing') {
    endLoss(state);
    return;
  }
  const { missedAt, confirmAfterSeconds } = loss;
  const seconds = Math.max(confirmAfterSeconds, answer.settleSeconds);
  const confirmAt = (missedAt ?? now) + seconds * 1_000;
  const isConfirmed = missedAt !== undefined && now >= confirmAt;
  state.loss = defined({ ...loss, missedAt: missedAt ?? now, askAt: confirmAt, isConfirmed });
  if (isConfirmed) showLoss(state);
}

/** A healthy Node is better proof than a cloud's answer. `before`: the phase that the look began with. */
export function noteWeighed(
  state: MachineState,
  before: MachineState['phase'],
  finding: HealthFinding,
): void {
  if (!state.loss?.isConfirmed) return;
  // Nobody answered: the next look has its time.
  if (!('phase' in finding)) state.loss.isWeighed = true;
  else if (finding.phase === 'Running') endLoss(state);
  // A machine that was Running becomes Unknown by its first look, and Failed by the second at the earliest.
  else state.loss.isWeighed = before !== 'Running';
}

export function endLoss(state: MachineState): void {
  const wasShown = state.loss?.isConfirmed ?? false;
  delete state.loss;
  if (wasShown) showLoss(state);
}
