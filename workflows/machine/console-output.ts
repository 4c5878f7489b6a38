/** Console output of an instance that did not join in time. */
import type { ConsoleRead } from '../contracts/machine-activities.ts';
import type { ConsoleOutput } from '../contracts/driver-contract.ts';
import { clip, clipStart } from '../values/clip.ts';
import { longestConsoleEndBytes } from '../values/console-output.ts';
import type { MachineState } from './state.ts';

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
