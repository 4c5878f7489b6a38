/** Annotations of a canary, as people and workers write them. */
import { options as keys } from '../../../api/constants.ts';
import { parseDuration } from '../../../api/duration.ts';
import { timeIn } from '../../../api/time.ts';
import { defined } from '../../../values/defined.ts';
import type { Wave, WaveNote } from './facts.ts';
import type { WaveStep } from './steps.ts';

/** More are a mistake. */
const mostWaves = 20;

/**
 * `1, 25% for 30m, 50% for 1h`; undefined where an entry is none, or they do not grow.
 *
 * @param countOf Machines of a number or a percentage; undefined for what is neither.
 */
export function parseWaves(
  text: string,
  countOf: (text: string) => number | undefined,
): Wave[] | undefined {
  const entries = text.split(',', mostWaves + 1).map((entry) => entry.trim().split(/ +/));
  const waves = entries.flatMap((entry) => waveOf(entry, countOf) ?? []);
  const isFit = waves.length === entries.length && waves.length <= mostWaves;
  return isFit && doGrow(entries.map(([size = '']) => size)) ? waves : undefined;
}

function waveOf(
  [size = '', word, time, ...more]: readonly string[],
  countOf: (text: string) => number | undefined,
): Wave | undefined {
  const count = countOf(size);
  if (count === undefined || more.length > 0) return undefined;
  if (word === undefined) return { machines: count };
  const seconds = word === 'for' && time !== undefined ? parseDuration(time) : undefined;
  return seconds ? { machines: count, seconds } : undefined;
}

/**
 * Which of a number and a percentage is more depends on `replicas`: that these are lowered is to
 * hold no rollout.
 */
function doGrow(sizes: readonly string[]): boolean {
  return [true, false].every((isShare) => {
    const alike = sizes.filter((size) => size.endsWith('%') === isShare).map(parseFloat);
    return alike.every((size, index) => index === 0 || size > (alike[index - 1] ?? 0));
  });
}

/** So many waves of that revision; `count` absent: all. */
export interface PassedCanary {
  revision: number;
  count?: number;
}

/** `5` is all of revision 5; `5:2` the first two waves of it. */
export function parsePassed(text: string): PassedCanary | undefined {
  const [whole, revision, count] = /^(\d{1,15})(?::(\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return defined({
    revision: Number(revision),
    count: count === undefined ? undefined : Number(count),
  });
}

/**
 * `5:2 2026-11-28T22:00:00Z 3 2026-11-28T21:55:10Z`: all 3 machines of the wave are available since
 * the first time, the youngest is of the second. `5:2 2026-11-28T22:10:00Z failed`: one was lost.
 * Anything else counts as absent, and the wave begins anew.
 */
export function parseNote(text: string, parseTime: (text: string) => number): WaveNote | undefined {
  const [of = '', at, what = '', made, ...more] = text.split(' ');
  const { revision, count } = parsePassed(of) ?? {};
  const since = timeIn(at, parseTime);
  if (revision === undefined || count === undefined || since === undefined) return undefined;
  if (what === 'failed') return made === undefined ? { revision, count, since } : undefined;
  const youngest = timeIn(made, parseTime);
  const isFit = /^\d{1,9}$/.test(what) && youngest !== undefined && more.length === 0;
  return isFit
    ? { revision, count, since, machines: { count: Number(what), youngest } }
    : undefined;
}

/** @param timeText RFC 3339 of milliseconds. */
export function noteText(
  { revision, count, since, machines }: WaveNote,
  timeText: (milliseconds: number) => string,
): string {
  const what = machines ? `${machines.count} ${timeText(machines.youngest)}` : 'failed';
  return `${revision}:${count} ${timeText(since)} ${what}`;
}

/** @param timeText As in `noteText`. */
export function waveAnnotations(
  step: WaveStep,
  timeText: (milliseconds: number) => string,
): Record<string, string | null> {
  if (step.action === 'noteWave') return { [keys.canarySince]: noteText(step.note, timeText) };
  return passedAnnotations({ revision: step.revision, count: step.count + 1 });
}

export function passedAnnotations({
  revision,
  count,
}: PassedCanary): Record<string, string | null> {
  if (count === undefined) return { [keys.canaryPassed]: String(revision) };
  return { [keys.canaryPassed]: `${revision}:${count}`, [keys.canarySince]: null };
}
