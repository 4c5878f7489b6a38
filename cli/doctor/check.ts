/** Runs checks and collects what they find: a few at a time, each with a time limit. */
import { setTimeout } from 'node:timers/promises';
import type { CheckResult } from '../command-line/check-result.ts';
import { reasonOf } from '../../workers/log/reason.ts';

/** `error`: it stops Millwright itself. `skipped`: it cannot be found out. */
export type DoctorResult = CheckResult<string, 'ok' | 'warning' | 'error' | 'skipped'>;

export interface Check {
  name: string;
  run(): Promise<DoctorResult | DoctorResult[]>;
}

export const ok = (what: string, text: string): DoctorResult => ({ what, state: 'ok', text });
export const skipped = (what: string, text: string): DoctorResult => ({
  what,
  state: 'skipped',
  text,
});
export const warning = (what: string, text: string, repair: string): DoctorResult => ({
  what,
  state: 'warning',
  text,
  repair,
});
export const error = (what: string, text: string, repair: string): DoctorResult => ({
  what,
  state: 'error',
  text,
  repair,
});

const atATime = 6;
export const limitMs = 10_000;

/** In the order of the checks. One that fails, or takes too long, is a result as well. */
export async function runAll(
  checks: readonly Check[],
  withinMs = limitMs,
): Promise<DoctorResult[]> {
  const found: DoctorResult[][] = checks.map(() => []);
  const left = checks.entries();
  const work = async (): Promise<void> => {
    for (const [index, check] of left) found[index] = await runOne(check, withinMs);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return found.flat();
}

async function runOne({ name, run }: Check, withinMs: number): Promise<DoctorResult[]> {
  const timer = new AbortController();
  const timeout = setTimeout(withinMs, undefined, { signal: timer.signal }).then(
    () => skipped(name, `no answer within ${withinMs / 1_000} s`),
    () => [],
  );
  try {
    return [await Promise.race([run(), timeout])].flat();
  } catch (reason) {
    return [skipped(name, `it cannot be found out: ${reasonOf(reason)}`)];
  } finally {
    timer.abort();
  }
}
