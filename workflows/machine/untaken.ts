/** Why no worker has taken a task, though workers ask for such tasks. */
import type { QueueService } from '../contracts/machine-activities.ts';

/** `slots`: in words. */
export function whyUntaken(slots: string, { rateLimit }: Pick<QueueService, 'rateLimit'>): string {
  if (rateLimit === undefined) return `all ${slots} are taken`;
  const limit = `its task queue has a rate limit of ${rateLimit} a second`;
  return rateLimit === 0 ? limit : `all ${slots} are taken, or ${limit}`;
}
