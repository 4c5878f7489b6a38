/**
 * When nothing could be done, kept on the Lease of the watcher: every worker watches it, so no
 * deadline needs a read, and a process that starts knows what happened before it.
 */
import type { Pause, PauseReason } from '../../workflows/values/pauses.ts';
import { pauseReasons } from '../../workflows/values/pauses.ts';
import { parsedJson } from '../../workflows/values/parsed-json.ts';

export const pausesAnnotation = 'millwright.dev/pauses';

/** Times in milliseconds. */
export interface NotedPause {
  reason: PauseReason;
  from: number;
  /** Absent while it lasts. */
  until?: number;
}

/** Longer than the longest timeouts that are in use. */
const keptMs = 72 * 3_600_000;
const keptMax = 50;

/**
 * Those that may still count, the latest 50: older ones become one, so that no deadline comes
 * earlier.
 */
export function bounded(pauses: readonly NotedPause[], now: number): NotedPause[] {
  const recent = pauses.filter(({ until = now }) => until > now - keptMs);
  const surplus = recent.length - keptMax;
  if (surplus <= 0) return recent;
  const ordered = recent.toSorted((a, b) => a.from - b.from);
  const oldest = ordered.filter(({ until }) => until !== undefined).slice(0, surplus + 1);
  const [first] = oldest;
  if (!first) return ordered;
  const until = Math.max(...oldest.map((pause) => pause.until ?? 0));
  // A pause that counts for a drain has to count after the merge as well.
  const { reason } = oldest.find((pause) => pause.reason !== 'target') ?? first;
  const merged = { ...first, reason, until };
  return [merged, ...ordered.filter((pause) => !oldest.includes(pause))];
}

export function writePauses(pauses: readonly NotedPause[]): string {
  return JSON.stringify(
    pauses.map(({ reason, from, until }) => ({
      reason,
      from: textOf(from),
      ...(until !== undefined && { until: textOf(until) }),
    })),
  );
}

const textOf = (time: number): string => new Date(time).toISOString();

/** Reads the annotation. A damaged part counts as absent. */
export function readPauses(text: string | undefined): NotedPause[] {
  const content = parsedJson(text);
  return Array.isArray(content) ? content.flatMap((item: unknown) => pauseIn(item) ?? []) : [];
}

function pauseIn(item: unknown): NotedPause | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { reason, from, until }: Record<string, unknown> = { ...item };
  const known = pauseReasons.find((name) => name === reason);
  const begin = timeOf(from);
  const end = timeOf(until);
  if (known === undefined || begin === undefined) return undefined;
  if (until === undefined) return { reason: known, from: begin };
  return end === undefined ? undefined : { reason: known, from: begin, until: end };
}

function timeOf(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Those that last count up to now. */
export function pausesUntil(pauses: readonly NotedPause[], now: number): Pause[] {
  return pauses.map((pause) => ({ ...pause, until: pause.until ?? now }));
}
