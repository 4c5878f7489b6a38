/** Events are written after what they tell of: a scenario waits for them. */
import { eventually } from '../../support/eventually.ts';
import type { Scenario } from './scenario.ts';

interface ExpectedEvent {
  type?: 'Normal' | 'Warning';
  reason?: string;
  /** The exact text, or a matcher such as `expect.stringContaining(...)`. */
  message?: unknown;
}

/** Waits until there is an Event of that object with all that is expected. */
export async function untilEvent(
  { cluster }: Scenario,
  { kind, name }: { kind: string; name: string },
  expected: ExpectedEvent,
): Promise<void> {
  await eventually(`an Event of ${kind} ${name} says so`, async () => {
    const events = await cluster.events(kind, name);
    expect(events).toContainEqual(expect.objectContaining(expected));
  });
}
