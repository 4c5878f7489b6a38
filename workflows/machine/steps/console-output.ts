/** Asks the driver what an instance has printed: once, for some seconds, and never in vain. */
import { isCancellation } from '@temporalio/workflow';
import { consoleOutputBy } from '../../contracts/driver-answers.ts';
import type { ConsoleOutput, DriverRequest } from '../../contracts/driver-contract.ts';
import {
  consoleQuery,
  isNotServed,
  isUntaken,
  messageOf,
  timeoutOf,
} from '../../runtime/activity-options.ts';
import { noteConsoleOutput } from '../console-output.ts';
import { instanceOf } from '../state.ts';
import type { StepContext } from './context.ts';

export async function getConsoleOutput(context: StepContext): Promise<void> {
  const { state, usesTarget } = context;
  const summary = `what has ${instanceOf(state)?.providerID ?? 'the instance'} printed?`;
  const answer = await answerOf(context.driverRequest(), { usesTarget, summary });
  noteConsoleOutput(state, answer, Date.now());
}

/** Whatever comes, the machine turns Failed next: why there is no output is said with it. */
async function answerOf(
  request: DriverRequest,
  { usesTarget, summary }: { usesTarget: boolean; summary: string },
): Promise<ConsoleOutput> {
  const { provider } = request;
  try {
    const { getConsoleOutput: ask } = consoleQuery(provider, summary);
    return consoleOutputBy(await ask(request), { provider, usesTarget, isCancelled: false });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { outcome: 'failed', failure: { ...failureOf(error), isSettled: true } };
  }
}

function failureOf(error: unknown) {
  if (isNotServed(error)) {
    return {
      code: 'Unimplemented',
      message: 'the driver does not serve getConsoleOutput',
    } as const;
  }
  if (isUntaken(error)) {
    return { code: 'Unavailable', message: 'no worker took the call in time' } as const;
  }
  const message = timeoutOf(error) === undefined ? messageOf(error) : 'no answer in time';
  return { code: 'Unknown', message } as const;
}
