/** How long machines took to come: what `status` and `plan` reckon by. */
import type { Machine } from '../../workflows/api/machine.ts';
import { timeOf } from './times.ts';

/**
 * Milliseconds from the creation of the object until it was Running for the first time, as
 * `millwright_machine_running_seconds` has them; without a target cluster, until its instance was
 * there. Undefined where the object does not say it any more.
 *
 * By `lastOperation`: a `Create` is `Successful` once, in MCM as well as here, and the next
 * operation takes its place. The condition `Ready` is a copy of the Node's. Its time is that of the
 * last change, by the clock of the kubelet: of each restart and each lost heartbeat since. It also
 * comes before other conditions and taints let the machine turn Running, for which rollouts wait.
 */
export function creationMsOf({ metadata, status }: Machine): number | undefined {
  const { type, state, lastUpdateTime } = status?.lastOperation ?? {};
  if (type !== 'Create' || state !== 'Successful') return undefined;
  const from = timeOf(metadata.creationTimestamp);
  const until = timeOf(lastUpdateTime);
  if (from === undefined || until === undefined) return undefined;
  // Clocks of two processes, which write whole seconds.
  return Math.max(until - from, 0);
}

/** Between the two in the middle where their number is even. Undefined without any. */
export function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}
