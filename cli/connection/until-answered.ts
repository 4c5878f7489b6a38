import { setTimeout } from 'node:timers/promises';

/**
 * Asks until there is an answer. Undefined when there is none within the time; then it has asked
 * once after that as well.
 */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer | undefined>,
  { withinMs, everyMs = 250 }: { withinMs: number; everyMs?: number },
): Promise<Answer | undefined> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() > deadline) return answer;
    await setTimeout(everyMs);
  }
}
