/** An instance that the cloud may have lost. */
import type { DescribeOutcome, DriverRequest } from '../contracts/driver-contract.ts';
import type { MissingInstance } from '../contracts/snapshots.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { MissingInstanceFacts } from '../plan/machine/facts.ts';
import type { HealthFinding } from '../plan/machine/health.ts';
import { defined } from '../values/defined.ts';
import { showMissingInstance, setPhase } from './phase.ts';
import type { MachineState } from './state.ts';
import { instanceOf, isRecorded } from './state.ts';
import { isCancellation } from '@temporalio/workflow';
import { describedBy } from '../contracts/driver-answers.ts';
import { driverQuery, messageOf, localFirst } from '../runtime/activity-options.ts';
import type { StepContext } from './step-context.ts';

/** Returns whether the cloud is to be asked. */
export function observeMissing(state: MachineState, signal: MissingInstance): boolean {
  const { object, missing, teardown } = state;
  const isMeant = object.uid === signal.uid && instanceOf(state)?.providerID === signal.providerID;
  if (!isMeant || missing || !isRecorded(state) || teardown) return false;
  if (object.prepared?.provider === undefined) return false;
  const { providerID, confirmAfterSeconds } = signal;
  const askAt = Date.now();
  state.missing = {
    providerID,
    confirmAfterSeconds,
    askAt,
    isConfirmed: false,
    isEvaluated: false,
  };
  return true;
}

export function missingInstanceFactsOf({
  missing,
}: MachineState): MissingInstanceFacts | undefined {
  return missing && { askAt: missing.askAt, isConfirmed: missing.isConfirmed };
}

/** A check of its health is due because of this. */
export function mustEvaluate({ missing, phase }: MachineState): boolean {
  return missing !== undefined && missing.isConfirmed && !missing.isEvaluated && phase !== 'Failed';
}

/**
 * The cloud has answered. A cloud that gives no answer proves nothing: the next run of the check
 * signals again.
 */
function noteAnswer(state: MachineState, answer: DescribeOutcome, now: number): void {
  const { missing } = state;
  if (!missing) return;
  if (answer.outcome !== 'missing') {
    endMissing(state);
    return;
  }
  const { missedAt, confirmAfterSeconds } = missing;
  const seconds = Math.max(confirmAfterSeconds, answer.settleSeconds);
  const confirmAt = (missedAt ?? now) + seconds * 1_000;
  const isConfirmed = missedAt !== undefined && now >= confirmAt;
  state.missing = defined({ ...missing, missedAt: missedAt ?? now, askAt: confirmAt, isConfirmed });
  if (isConfirmed) showMissingInstance(state);
}

/**
 * A healthy Node is better proof than a cloud's answer. `before`: the phase that the check began
 * with.
 */
export function noteEvaluated(
  state: MachineState,
  before: MachinePhase,
  finding: HealthFinding,
): void {
  if (!state.missing?.isConfirmed) return;
  // No API server answered: the next check has its time.
  if (!('phase' in finding)) state.missing.isEvaluated = true;
  else if (finding.phase === 'Running') endMissing(state);
  // A machine that was Running becomes Unknown by its first check, and Failed by the second at the
  // earliest.
  else state.missing.isEvaluated = before !== 'Running';
}

/** The Machine is gone, or going: there is nothing to evaluate. */
export function noteNothingToEvaluate({ missing }: MachineState): void {
  if (missing) missing.isEvaluated = true;
}

export function endMissing(state: MachineState): void {
  const wasShown = state.missing?.isConfirmed ?? false;
  delete state.missing;
  if (wasShown) showMissingInstance(state);
}

/** Asks the cloud whether it has the instance, and acts when it has none and no Node says more. */
async function describeInstance(context: StepContext): Promise<void> {
  const { state } = context;
  if (!state.missing) return;
  const asked = { ...context.driverRequest(), providerID: state.missing.providerID };
  noteAnswer(state, await answerOf(asked), Date.now());
}

async function answerOf(request: DriverRequest): Promise<DescribeOutcome> {
  const { provider, providerID = '' } = request;
  try {
    const { describeInstance: ask } = driverQuery(provider, `is ${providerID} there?`);
    const asked = { provider, usesTarget: false, isCancelled: false };
    return describedBy(await ask(request), asked);
  } catch (error) {
    const message = isCancellation(error) ? 'not asked any more' : messageOf(error);
    return { outcome: 'failed', failure: { code: 'Unknown', message, isSettled: true } };
  }
}

async function recordMissingInstance(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance) return;
  const { providerID, nodeName } = instance;
  const request = { machine: context.machine(), instance: { providerID, nodeName } };
  const outcome = await localFirst(
    (steps) => steps.recordMissingInstance(request),
    `${providerID} is gone`,
  );
  if (outcome.found === 'lost') setPhase(state, 'Failed');
  // The next run of the check signals it again.
  else endMissing(state);
}

export const missingInstanceSteps = { describeInstance, recordMissingInstance };
