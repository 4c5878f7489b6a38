/** What a check found, and how checks are run: a few at a time, each with a time limit. */
import { setTimeout } from 'node:timers/promises';
import { withoutControls } from '../terminal/screen.ts';
import { reasonOf } from '../../workers/log/reason.ts';

/** `error`: it stops Millwright itself. `skipped`: it cannot be found out. */
export type Level = 'ok' | 'warning' | 'error' | 'skipped';

export interface Finding {
  check: string;
  level: Level;
  text: string;
  /** A command, or what a person has to do. */
  repair?: string;
}

export interface Check {
  name: string;
  run(): Promise<Finding | Finding[]>;
}

export const ok = (check: string, text: string): Finding => ({ check, level: 'ok', text });
export const skipped = (check: string, text: string): Finding => ({
  check,
  level: 'skipped',
  text,
});
export const warning = (check: string, text: string, repair: string): Finding => ({
  check,
  level: 'warning',
  text,
  repair,
});
export const error = (check: string, text: string, repair: string): Finding => ({
  check,
  level: 'error',
  text,
  repair,
});

const atATime = 6;
export const limitMs = 10_000;

/** In the order of the checks. One that fails, or takes too long, is a finding as well. */
export async function runAll(checks: readonly Check[], withinMs = limitMs): Promise<Finding[]> {
  const found: Finding[][] = checks.map(() => []);
  const left = checks.entries();
  const work = async (): Promise<void> => {
    for (const [index, check] of left) found[index] = await runOne(check, withinMs);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return found.flat();
}

async function runOne({ name, run }: Check, withinMs: number): Promise<Finding[]> {
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

export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length)) + 2;
  const line = ({ check, level, text, repair }: Finding): string[] => {
    const margin = ' '.repeat(9 + width);
    const [first = '', ...others] = text.split('\n').map(withoutControls);
    return [
      `${level.padEnd(9)}${check.padEnd(width)}${first}`,
      ...others.map((one) => `${margin}${one}`),
      ...(repair
        ?.split('\n')
        .map((one, index) => `${margin}${index === 0 ? 'repair: ' : '        '}${one}`) ?? []),
    ];
  };
  return findings.flatMap(line).join('\n');
}
