/** What Temporal shows of the drain of a machine while it waits. */
import { eventually } from '../../support/eventually.ts';
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

export interface DrainAttempts {
  /** Of its pending activity. */
  attempt: number;
  /** Of its workflow, so far. */
  events: number;
}

/**
 * The first passes of a drain may find different things in the way: a busy API server refuses some
 * pods only when they are asked again. This waits for an attempt that added no event.
 */
export async function untilDrainAddsNoEvent(
  scenario: Scenario,
  name: string,
): Promise<DrainAttempts> {
  let before = await attemptsOf(scenario, name);
  return await eventually('an attempt of the drain adds no event', async () => {
    const present = await attemptsOf(scenario, name);
    if (present.events !== before.events) before = present;
    expect(present.attempt).toBeGreaterThan(before.attempt);
    return present;
  });
}

export async function attemptsOf({ workflows }: Scenario, name: string): Promise<DrainAttempts> {
  const { raw, historyLength: events } = await workflows.handleOf('machine', name).describe();
  return { attempt: raw.pendingActivities?.[0]?.attempt ?? 0, events };
}
