/** What the steps of `millwright setup` have in common: what they found, and how they wait. */
import { setTimeout } from 'node:timers/promises';
import type { CheckResult } from '../command-line/check-result.ts';

/** `made`: by this call. */
export type SetupResult = CheckResult<
  'server' | 'namespace' | 'search attributes' | 'version',
  'there' | 'made' | 'missing'
>;

/** All services of a server read what is new within this. */
export const knownWithinMs = 60_000;
const periodMs = 500;

/** Asks until there is an answer. Undefined when there is none within the time. */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer | undefined>,
  withinMs: number,
): Promise<Answer | undefined> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || Date.now() > deadline) return answer;
    await setTimeout(periodMs);
  }
}
