/** Values of `cloudProviderSpec`: text where they come from a Secret, a ConfigMap or a variable. */
import { FieldFault } from './table.ts';

const yes = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const no = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

/** Of the texts that machine-controller takes. */
export function flag(value: unknown): boolean {
  const text = String(value);
  if (yes.includes(text)) return true;
  if (no.includes(text)) return false;
  throw new FieldFault('is neither true nor false');
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
export function nameOnly(value: unknown): unknown {
  if (!/^\d+$/.test(String(value))) return value;
  throw new FieldFault('is an ID: write the name');
}

export function texts(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String) : value;
}

/** Neither absent, null nor `''`. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
