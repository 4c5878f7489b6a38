/**
 * When the watcher saw that the database of its cluster had been restored, kept on its Lease for
 * `millwright stuck`: nothing in the objects themselves shows it.
 */

export const restoredAnnotation = 'millwright.dev/restored';

/** Milliseconds, as is what is read. */
export function writeRestore(at: number): string {
  return new Date(at).toISOString();
}

/** Reads the time. A damaged one counts as absent. */
export function readRestore(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}
