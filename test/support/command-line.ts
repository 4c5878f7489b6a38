/** The command line of `millwright`, in this process. */
import type { Answer } from '../../cli/command-line/answer.ts';
import { createProgram } from '../../cli/program.ts';

const silent = { writeOut: () => undefined, writeErr: () => undefined };

/** What it asks for; nothing is carried out. Throws a `CommanderError`. */
export function readArguments(argv: readonly string[]): unknown {
  let asked: unknown;
  const program = createProgram((read) => {
    asked = read;
    return Promise.resolve();
  }, silent);
  program.parse([...argv], { from: 'user' });
  return asked;
}

export async function answerTo(argv: readonly string[]): Promise<Answer> {
  let answer: Answer | undefined;
  const program = createProgram(async (asked, carryOut) => {
    answer = await carryOut(asked);
  }, silent);
  await program.parseAsync([...argv], { from: 'user' });
  if (!answer) throw new Error(`${argv.join(' ')}: no answer`);
  return answer;
}
