/** Values of the annotation `node.machine.sapcloud.io/preserve`, as MCM v0.62.1 reads them. */

/** Those that ask for preservation. */
export const preserves = ['now', 'when-failed', 'auto-preserved'] as const;

const values = [...preserves, 'false'] as const;

export type Preserve = (typeof values)[number];

/** Undefined for everything else, an empty text included. */
export function preserveOf(text: string | undefined): Preserve | undefined {
  return values.find((value) => value === text);
}

export function asksForPreservation(value: Preserve | undefined): boolean {
  return value !== undefined && value !== 'false';
}

/** For people; `auto-preserved` is a MachineSet's word. */
export const allowedPreserves = '"now", "when-failed" or "false"';
