/** Machines that the cluster autoscaler chose to go, when it lowered `replicas`. Rules: MCM v0.62.1. */
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
  const unmarked = entries.filter(({ name }) => {
    const machine = known.get(name);
    return machine?.priority !== '1' || machine.mark === undefined;
  });
  const rest = entries.map(({ name, time }) => `${name}~${time}`).join(',');
  if (rest === list && rest !== '' && unmarked.length === 0) return undefined;
  const marks = unmarked.map(({ name, time }) => ({ name, time: known.get(name)?.mark ?? time }));
  return { machines: marks, was: list, list: rest === '' ? null : rest };
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function entryOf(entry: string, fallback: string): { name: string; time: string } {
  const [name = '', time = fallback, ...more] = entry.trim().split('~');
  return more.length === 0 ? { name, time } : { name, time: '' };
}

/** What is going anyway needs no mark. */
function isPending(machine: Marked | undefined): boolean {
  return machine !== undefined && !machine.isDeleting && machine.phase !== 'Failed';
}
