/**
 * Machines that the cluster autoscaler chose to go, when it lowered `replicas`. Rules: MCM v0.62.1.
 */
import type { Marks } from './facts.ts';

export interface Marked {
  name: string;
  isDeleting: boolean;
  phase: string;
  /** Annotation `machinepriority.machine.sapcloud.io` as it stands. */
  priority?: string;
  /** Annotation `machine.sapcloud.io/marked-for-deletion-time` as it stands. */
  mark?: string;
}

/**
 * @param list Annotation `node.machine.sapcloud.io/trigger-deletion-by-mcm`: `name~time,name~time`.
 * @param fallback For entries without a time, RFC 3339.
 * @returns What is to be written; undefined when that is nothing.
 */
export function marksOf(
  list: string,
  machines: readonly Marked[],
  fallback: string,
): Marks | undefined {
  const known = new Map(machines.map((machine) => [machine.name, machine]));
  const entries = list
    .split(',')
    .map((entry) => entryOf(entry, fallback))
    .filter(({ name, time }) => timePattern.test(time) && isPending(known.get(name)));
  const rest = entries.map(({ name, time }) => `${name}~${time}`).join(',');
  const preferred = entries.filter(({ name }) => known.get(name)?.priority !== '1');
  const marks = {
    preferred: preferred.map(({ name }) => name),
    machines: entries.filter(({ name }) => known.get(name)?.mark === undefined),
    was: list,
    list: rest === '' ? null : rest,
  };
  return isNothing(marks) ? undefined : marks;
}

/**
 * A marked machine goes and another comes in its place, unless its set shrinks. So the marks wait
 * for the new size: before it the machines only become the first to go. Each write may be the last
 * for a while, in this order none costs a machine.
 *
 * @param isSized The sets have the size that the deployment asks for, and have seen it.
 */
export function marksFor(marks: Marks | undefined, isSized: boolean): Marks | undefined {
  if (!marks || isSized) return marks;
  const early = { ...marks, machines: [] };
  return isNothing(early) ? undefined : early;
}

function isNothing({ preferred, machines, was, list }: Marks): boolean {
  return preferred.length === 0 && machines.length === 0 && list === was;
}

export interface ListedChange {
  /** RFC 3339. */
  time: string;
  /** Milliseconds. */
  at: number;
}

/** The latest choice of the list; undefined where none has a time. `timeOf`: milliseconds. */
export function latestChoiceIn(
  list: string,
  timeOf: (text: string) => number | undefined,
): ListedChange | undefined {
  const choices = list.split(',').flatMap((entry): ListedChange[] => {
    const { time } = entryOf(entry, '');
    const at = timeOf(time);
    return at === undefined ? [] : [{ time, at }];
  });
  return choices.toSorted((a, b) => b.at - a.at)[0];
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function entryOf(entry: string, fallback: string): { name: string; time: string } {
  const [name = '', time = fallback, ...more] = entry.trim().split('~');
  return more.length === 0 ? { name, time } : { name, time: '' };
}

/** A machine that is going anyway needs no mark. */
function isPending(machine: Marked | undefined): boolean {
  return machine !== undefined && !machine.isDeleting && machine.phase !== 'Failed';
}
