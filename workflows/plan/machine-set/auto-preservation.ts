/**
 * Which Failed machines of a set are preserved without an annotation: at most
 * `autoPreserveFailedMachineMax` at a time.
 */
import type { MachineFact } from './scale-down.ts';
import { compareText } from './scale-down.ts';
import { burst, isFailed, isPresent } from './deletions.ts';

/** Names of machines; at most `burst` of each. */
export interface AutoPreservation {
  preserve: string[];
  /** Too many since the maximum was lowered. */
  unpreserve: string[];
}

export interface PreservationLimits {
  max: number;
  /** Machines that cannot be written just now. Default none. */
  passOver?: ReadonlySet<string>;
}

/**
 * The newest failures are the most useful to a person; those that were preserved for longest go
 * first. A machine that had its time, or that a person wrote anything about, is left alone.
 * Undefined when nothing is to do.
 */
export function planAutoPreservation(
  machines: readonly MachineFact[],
  { max, passOver = new Set() }: PreservationLimits,
): AutoPreservation | undefined {
  const present = machines.filter(isPresent);
  const isWritable = ({ name }: MachineFact): boolean => !passOver.has(name);
  const held = present.filter(({ preserve }) => preserve === 'auto-preserved');
  const room = max - held.length;
  const open = present.filter((machine) => mayBePreserved(machine) && isWritable(machine));
  const newest = open.toSorted((a, b) => byAge(b, a));
  const preserve = newest.slice(0, Math.min(Math.max(room, 0), burst));
  const oldest = held.filter(isWritable).toSorted(byAge);
  const unpreserve = oldest.slice(0, Math.min(Math.max(-room, 0), burst));
  if (preserve.length + unpreserve.length === 0) return undefined;
  return { preserve: preserve.map(nameOf), unpreserve: unpreserve.map(nameOf) };
}

function mayBePreserved(machine: MachineFact): boolean {
  return isFailed(machine) && machine.preserve === undefined && machine.wasPreserved !== true;
}

function byAge(a: MachineFact, b: MachineFact): number {
  return a.createdAt - b.createdAt || compareText(a.name, b.name);
}

function nameOf({ name }: MachineFact): string {
  return name;
}
