/** Values of a `cloudProviderSpec` as machine-controller reads them: texts, in a Secret. */
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

/** A flag that is off, in all its forms, for `harmless`. */
export const off = [false, 'false', 'False', 'FALSE', 'f', 'F', '0'] as const;

export function isOff(value: unknown): boolean {
  return off.some((one) => one === value);
}

/** A value that is no flag at all is a fault of the field. */
export function isOn(value: unknown): boolean {
  return value === true || texts[String(value).toLowerCase()] === true;
}

/** Their `0` is "not given". */
export function count(value: unknown): number | undefined {
  return wholeNumber(value) || undefined;
}

/** Not below 0. */
export function wholeNumber(value: unknown): number {
  const text = String(value);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new FieldFault('is not a whole number');
}

/** A list, or text with commas. */
export function words(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : String(value).split(',');
  return all.map((word) => String(word).trim()).filter(Boolean);
}

/** Of what they take by its ID as well. */
export function asName(value: unknown): unknown {
  if (!/^\d+$/.test(String(value))) return value;
  throw new FieldFault('is an ID: write the name');
}

/** Of numbers. */
export function asTexts(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String) : value;
}

/** Neither absent, null nor `''`. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** Default: IPv4 alone. */
export function addressFamilies(ipFamily = ''): { v4: boolean; v6: boolean } {
  const families = (ipFamily || 'IPv4').split('+');
  return { v4: families.includes('IPv4'), v6: families.includes('IPv6') };
}
