/** Console output of an instance that did not join in time. */
import type { ConsoleRead } from '../contracts/machine-activities.ts';
import type { ConsoleOutput, DriverRequest } from '../contracts/driver-contract.ts';
import { clip, clipStart } from '../values/clip.ts';
import { longestConsoleEndBytes } from '../values/console-output.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';
import { isCancellation } from '@temporalio/workflow';
import { consoleOutputBy } from '../contracts/driver-answers.ts';
import {
  consoleQuery,
  isNotServed,
  isUntaken,
  messageOf,
  timeoutOf,
} from '../runtime/activity-options.ts';
import type { StepContext } from './step-context.ts';

/** It stands in an Event, in one clause. */
const longestReasonBytes = 400;

export function noteConsoleOutput(state: MachineState, answer: ConsoleOutput, now: number): void {
  state.consoleOutput = { ...readOf(answer), readAt: now };
}

function readOf(answer: ConsoleOutput): ConsoleRead {
  if (answer.outcome === 'failed') {
    const { code, message } = answer.failure;
    return { reason: clip(`${code}: ${message}`, longestReasonBytes) };
  }
  const { text } = answer;
  return text === '' ? { reason: 'the cloud has no output of it' } : { text };
}

/** For the step that writes it on the Machine. */
export function consoleReadOf({ consoleOutput }: MachineState): ConsoleRead | undefined {
  if (!consoleOutput) return undefined;
  const { readAt: _, ...read } = consoleOutput;
  return read;
}

/** It is on the object: the state, which every new run is handed, has the end of it. */
export function shortenConsoleOutput(state: MachineState): void {
  const { consoleOutput } = state;
  if (!consoleOutput || !('text' in consoleOutput)) return;
  const text = clipStart(consoleOutput.text, longestConsoleEndBytes);
  state.consoleOutput = { ...consoleOutput, text };
}

/** The machine has more time, or has joined: a later output will say more. */
export function forgetConsoleOutput(state: MachineState): void {
  delete state.consoleOutput;
}

/** Asks the driver what an instance has printed: once, for some seconds, and never in vain. */
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
