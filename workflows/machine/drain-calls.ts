/** Asks a worker to drain, until one takes it: what that waits for is said. */
import type { DrainOutcome, DrainRequest } from '../contracts/drain-activities.ts';
import { drainActivities, isUntaken, localFirst } from '../runtime/activity-options.ts';
import { whyUntaken } from './untaken.ts';

export interface DrainCall {
  summary: string;
  /** As it is when the drain is asked for, which may be more than once. */
  request(): DrainRequest;
  /** No worker has taken the drain within a minute, and why. */
  onUntaken(why: string): Promise<void>;
}

export async function drainOutcome({
  summary,
  request,
  onUntaken,
}: DrainCall): Promise<DrainOutcome> {
  const { drainNode } = drainActivities(summary);
  for (;;) {
    try {
      return await drainNode(request());
    } catch (error) {
      if (!isUntaken(error)) throw error;
      await onUntaken(await reasonUntaken());
    }
  }
}

async function reasonUntaken(): Promise<string> {
  const words = 'does a worker serve drains?';
  const service = await localFirst((steps) => steps.findDrainWorker(), words);
  return service.isServed
    ? whyUntaken('slots for drains', service)
    : 'no worker serves drains, start one with --serve=drain';
}
