/** Extended resources that a MachineClass promises of its Nodes, kept in `status.capacity`. */
import { annotations } from '../../api/constants.ts';
import { parsed } from './node-template.ts';
import { isRecord } from '../../values/is-record.ts';
import type { TextChanges } from './node-template.ts';
import { isSameQuantity } from '../../values/quantity.ts';

export interface VirtualCapacityChange {
  capacity: TextChanges;
  annotations: TextChanges;
  /**
   * The note of what was last applied cannot be read. It counts as nothing, so nothing is removed,
   * and is written anew.
   */
  isLastAppliedCorrupt: boolean;
}

/** Field `nodeTemplate.virtualCapacity` of a class. */
export type VirtualCapacity = Record<string, number | string>;

interface NodeCapacity {
  capacity?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
}

/** `wanted`: undefined for a class without a node template, which changes nothing. */
export function planVirtualCapacity(
  { capacity = {}, annotations: notes = {} }: NodeCapacity,
  wanted: VirtualCapacity | undefined,
): VirtualCapacityChange {
  if (!wanted) return { capacity: {}, annotations: {}, isLastAppliedCorrupt: false };
  const text = notes[annotations.lastAppliedVirtualCapacity];
  const last = text === undefined ? {} : quantitiesOf(parsed(text));
  const quantities = quantitiesOf(wanted) ?? {};
  const isNoteTrue = last !== undefined && areSame(last, quantities);
  return {
    capacity: { ...removals(capacity, last ?? {}, quantities), ...missing(capacity, quantities) },
    annotations: isNoteTrue ? {} : { [annotations.lastAppliedVirtualCapacity]: noteOf(quantities) },
    isLastAppliedCorrupt: last === undefined,
  };
}

type Quantities = Record<string, string>;

/**
 * Numbers as texts, in the order of their names as Go writes them. Undefined when it is something
 * else.
 */
function quantitiesOf(value: unknown): Quantities | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  if (!entries.every(([, item]) => typeof item === 'string' || typeof item === 'number')) {
    return undefined;
  }
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, item]) => [key, String(item)]));
}

function missing(present: Quantities, wanted: Quantities): TextChanges {
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => !isSameQuantity(present[key] ?? '', value)),
  );
}

function removals(present: Quantities, last: Quantities, wanted: Quantities): TextChanges {
  const gone = Object.keys(last).filter((key) => key in present && !(key in wanted));
  return Object.fromEntries(gone.map((key) => [key, null]));
}

function areSame(a: Quantities, b: Quantities): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((key) => key in b && isSameQuantity(a[key] ?? '', b[key] ?? ''))
  );
}

/** No note where there is nothing to remember. */
function noteOf(quantities: Quantities): string | null {
  return Object.keys(quantities).length === 0 ? null : JSON.stringify(quantities);
}
