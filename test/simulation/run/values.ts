/** Values of options. All throw an Error that names the option, its value and what is allowed. */

/** Names of all kinds of faults, and of all kinds of what users do. */
export interface Kinds {
  faults: readonly string[];
  users: readonly string[];
}

const seedsEnd = 2 ** 32;

/** Larger ones would be the same as a smaller one. */
export function seedNumber(name: string, text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value < seedsEnd) return value;
  throw new Error(`${name}: "${text}" is not a whole number from 0 to ${seedsEnd - 1}`);
}

/** From 1. */
export function wholeNumber(name: string, text: string, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw new Error(`${name}: "${text}" is not a whole number from 1 to ${most}`);
}

export function positiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new Error(`${name}: "${text}" is not a number above 0`);
}

/** In the order of `known`, so that the order in which they were typed decides nothing. */
export function nameList(name: string, text: string, known: readonly string[]): readonly string[] {
  if (text === 'all') return known;
  if (text === 'none') return [];
  return chosen(name, text.split(','), known);
}

export function chosen(
  name: string,
  names: readonly string[],
  known: readonly string[],
): readonly string[] {
  const unknown = names.find((one) => !known.includes(one));
  if (unknown === undefined) return known.filter((one) => names.includes(one));
  throw new Error(`${name}: "${unknown}" is not one of all, none, ${known.join(', ')}`);
}
