/** CPU time and memory of the stack's processes, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { hasCode } from '../../deploy/local/failure.ts';
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

/** The stack with programs that it did not start, so that their CPU and memory are read as well. */
export function withPrograms(stack: Stack, pids: Record<string, number>): Stack {
  const { supervisor, components } = stack;
  const programs = Object.entries(pids).map(([name, pid]) => [
    name,
    { ...supervisor, pid, address: '', log: '', restarts: 0 },
  ]);
  return { ...stack, components: { ...components, ...Object.fromEntries(programs) } };
}

/** Those of ours that run; without a watcher, that is in the worker. Throws without a worker. */
export function processesOfOurs({ components }: Stack) {
  if (!components['worker']) throw new Error('the stack has no worker');
  return ['worker', 'watcher'].flatMap((name) => {
    const component = components[name];
    return component ? [{ name, component }] : [];
  });
}

export function useOf({ components }: Stack): Record<string, ProcessUse> {
  return Object.fromEntries(
    Object.entries(components).map(([name, { pid }]) => [name, useOfProcess(pid)]),
  );
}

export function useOfProcess(pid: number): ProcessUse {
  const children = childrenOf(pid);
  const childrenMib = sumOf(children.map((child) => memoryOf(child, 'RssAnon')));
  return {
    // A process counts what its ended children took as well.
    cpuSeconds: sumOf([pid, ...children].map(cpuSecondsOf)),
    // Of PostgreSQL's processes, what is their own now: the buffers that all of them share would
    // count as often as there are clients.
    memoryMib: memoryOf(pid, 'VmRSS') + childrenMib,
    peakMemoryMib: memoryOf(pid, 'VmHWM') + childrenMib,
  };
}

export interface Resident {
  /** Programs and libraries as they are on disk: all processes that run them share it. */
  filesMib: number;
  anonymousMib: number;
}

export function residentOf(pid: number): Resident {
  return { filesMib: memoryOf(pid, 'RssFile'), anonymousMib: memoryOf(pid, 'RssAnon') };
}

/** Only PostgreSQL has any: one for each client. Empty where the system does not list them. */
function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks
    .flatMap((task) => textOf(`/proc/${pid}/task/${task}/children`).split(' '))
    .filter((text) => text.trim() !== '')
    .map(Number);
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

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
  const fields = textOf(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  const times = fields.slice(11, 15).map(Number);
  return sumOf(times) / ticksPerSecond;
}

/** Empty for a child that has ended since it was listed. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return '';
    throw error;
  }
}

function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM' | 'RssAnon' | 'RssFile'): number {
  const status = textOf(`/proc/${pid}/status`);
  const [, kib = '0'] = new RegExp(`${field}:\\s+(\\d+)`).exec(status) ?? [];
  return Number(kib) / kibPerMib;
}
