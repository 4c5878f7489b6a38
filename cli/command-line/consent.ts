/** Asks for consent before a command that cannot be undone acts. */
import { createInterface } from 'node:readline/promises';
import type { Answer } from './answer.ts';
import type { Command } from 'commander';

export interface ConsentOptions {
  /** Do it without a question. */
  yes?: boolean | undefined;
}

export function withConsent(command: Command): Command {
  return command.option('-y, --yes', 'do it; without it, you are asked on a terminal');
}

/** Consequences, from the present state of the object. */
export interface Preview {
  text: string;
  data: object;
}

/** Carries out what was agreed to. Else says what would happen, with exit code 1. */
export async function onceAgreed(
  { yes = false }: ConsentOptions,
  { text, data }: Preview,
  carryOut: () => Promise<Answer>,
): Promise<Answer> {
  const isAgreed = yes || (await isAnsweredYes(text));
  if (isAgreed) return await carryOut();
  const refusal = 'Nothing was done. Say --yes to do it.';
  return { text: `${text}\n${refusal}`, data: { ...data, isDone: false }, exitCode: 1 };
}

async function isAnsweredYes(text: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C, Ctrl-D and a terminal that goes away close it. Some of these leave the question open
  // for ever, which ones depends on the version of Node.js.
  const left = new AbortController();
  terminal.once('close', () => left.abort());
  try {
    const { signal } = left;
    const answer = await terminal.question(`${text}\nDo it? (yes/no) `, { signal });
    return answer.trim().toLowerCase() === 'yes';
  } catch (error) {
    if (!left.signal.aborted) throw error;
    return false;
  } finally {
    terminal.close();
  }
}
