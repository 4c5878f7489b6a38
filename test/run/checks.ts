/** Format, lint and types: none of them needs another, so they run side by side. */
import { messageOf } from '../../deploy/local/failure.ts';
import { nodeProgram } from './program.ts';

const programs = [
  ['prettier/bin/prettier.cjs', '--check', '--cache', '--cache-strategy', 'content', '.'],
  ['oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  ['typescript/bin/tsc'],
] as const;

/** Throws with the words of all that failed. */
export async function checks(): Promise<void> {
  const ends = await Promise.allSettled(
    programs.map(([script, ...args]) => nodeProgram(script, args, { output: 'ifFailed' })),
  );
  const problems = ends.flatMap((end) =>
    end.status === 'rejected' ? [messageOf(end.reason)] : [],
  );
  if (problems.length > 0) throw new Error(`\n${problems.join('\n\n')}\n`);
}
