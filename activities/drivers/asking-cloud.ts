/** What there is to say of a call of a driver: the cloud's id of it, and how long it took. */
import type { AnsweredRequest } from '../system/cloud-requests.ts';
import { notingCloudRequests } from '../system/cloud-requests.ts';
import { monotonicMs } from '../system/system.ts';
import { DriverPending } from './driver.ts';

/**
 * `onTaken`: the cloud took a request that changes something, and is at work on it. An error goes
 * on to the caller.
 */
export async function askingCloud<Answer>(
  call: () => Promise<Answer>,
  onTaken: (asked: AnsweredRequest) => void = () => {},
): Promise<[Answer, AnsweredRequest]> {
  const begunAt = monotonicMs();
  return await notingCloudRequests(async (requests) => {
    try {
      const answer = await call();
      return [answer, askedSince(begunAt, requests.id)];
    } catch (error) {
      const { changeId } = requests;
      const isTaken = error instanceof DriverPending && changeId !== undefined;
      if (isTaken) onTaken(askedSince(begunAt, changeId));
      throw error;
    }
  });
}

function askedSince(begunAt: number, requestId: string | undefined): AnsweredRequest {
  return { requestId, durationMs: Math.round(monotonicMs() - begunAt) };
}
