/** Values of a `cloudProviderSpec` as machine-controller reads them: from a Secret they are texts. */
import { FieldFault } from './table.ts';

const texts: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  true: true,
  '0': false,
  f: false,
  false: false,
};

/** Go's ParseBool. */
export function flag(value: unknown): boolean {
  const read = typeof value === 'boolean' ? value : texts[String(value).toLowerCase()];
  if (read === undefined) throw new FieldFault('is neither true nor false');
  return read;
}

/** What a flag that is off may look like, for `harmless`. */
export const off = [false, 'false', 'False', 'FALSE', 'f', 'F', '0'] as const;

/** Their `0` is "not given". */
export function count(value: unknown): number | undefined {
  const read = typeof value === 'string' ? Number(value) : value;
  if (typeof read === 'number' && Number.isInteger(read) && read >= 0) return read || undefined;
  throw new FieldFault('is not a whole number');
}
