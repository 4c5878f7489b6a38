/** Times as Kubernetes writes them. */
import { timeIn } from '../../workflows/api/time.ts';
import { nowMs } from '../../activities/system/system.ts';

/** Kubernetes times have no fractions of a second. */
export function timestamp(milliseconds = nowMs()): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Milliseconds; nonsense counts as absent. */
export function timeOf(text: string | null | undefined): number | undefined {
  return timeIn(text, Date.parse);
}
