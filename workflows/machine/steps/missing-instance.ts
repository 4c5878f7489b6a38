/** Asks the cloud whether it has the instance, and acts when it has none and no Node says more. */
import { isCancellation } from '@temporalio/workflow';
import { describedBy } from '../../contracts/driver-answers.ts';
import type { DescribeOutcome, DriverRequest } from '../../contracts/driver-contract.ts';
import { driverQuery, messageOf, localFirst } from '../../runtime/activity-options.ts';
import { endMissing, noteAnswer } from '../missing-instance.ts';
import { setPhase } from '../phase.ts';
import { instanceOf } from '../state.ts';
import type { StepContext } from './context.ts';

export async function describeInstance(context: StepContext): Promise<void> {
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

export async function recordMissingInstance(context: StepContext): Promise<void> {
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
