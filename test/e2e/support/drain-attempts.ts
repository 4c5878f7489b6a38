/** What Temporal shows of the drain of a machine while it waits. */
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { Scenario } from './scenario.ts';

export async function untilDrainFailureSays(
  { workflows }: Scenario,
  name: string,
  words: string,
): Promise<void> {
  await eventually(`the pending activity says ${words}`, async () => {
    const { drainNode } = await workflows.pendingFailures('machine', name);
    expect(drainNode).toContain(words);
  });
}

/** Of its pending activity, and the events of its workflow so far. */
export async function attemptsOf(
  { workflows }: Scenario,
  name: string,
): Promise<{ attempt: number; events: number }> {
  const { raw, historyLength: events } = await workflows.handleOf('machine', name).describe();
  return { attempt: raw.pendingActivities?.[0]?.attempt ?? 0, events };
}
