/** CPU time and memory of the stack's processes, from /proc. */
import { readFileSync } from 'node:fs';
import type { Stack } from '../../deploy/local/stack.ts';

/**
 * Linux counts CPU time in hundredths of a second for programs of all architectures that we run on.
 */
const ticksPerSecond = 100;
const kibPerMib = 1024;

export interface ProcessUse {
  cpuSeconds: number;
  memoryMib: number;
  /** The most that it ever had, since its start. */
  peakMemoryMib: number;
}

export function useOf({ components }: Stack): Record<string, ProcessUse> {
  return Object.fromEntries(
    Object.entries(components).map(([name, { pid }]) => [
      name,
      {
        cpuSeconds: cpuSecondsOf(pid),
        memoryMib: memoryOf(pid, 'VmRSS'),
        peakMemoryMib: memoryOf(pid, 'VmHWM'),
      },
    ]),
  );
}

export function cpuBetween(
  before: Record<string, ProcessUse>,
  after: Record<string, ProcessUse>,
): Record<string, ProcessUse> {
  return Object.fromEntries(
    Object.entries(after).map(([name, use]) => [
      name,
      { ...use, cpuSeconds: use.cpuSeconds - (before[name]?.cpuSeconds ?? 0) },
    ]),
  );
}

function cpuSecondsOf(pid: number): number {
  // The program's name, in parentheses, may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kib = '0'] = new RegExp(`${field}:\\s+(\\d+)`).exec(status) ?? [];
  return Number(kib) / kibPerMib;
}
