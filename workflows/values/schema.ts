/**
 * Checks that values from outside have the form of their type: anyone may send a signal, and
 * drivers are written in any language.
 */
import { quoted } from '../api/validation.ts';
import { isRecord } from './is-record.ts';

/** Returns what the value must be, in words; undefined when it is. */
export type Validator = (value: unknown) => string | undefined;

/** A validator for each field of an object. Other fields are left out. */
export type Schema<T> = { [Field in Extract<keyof Required<T>, string>]: Validator };

/** Faults name the field, the value and what is allowed. Undefined: the value is whole. */
export function errorIn(value: unknown, shape: Record<string, Validator>): string | undefined {
  if (!isRecord(value)) return `${quoted(value)}: must be an object`;
  for (const [field, check] of Object.entries(shape)) {
    const must = check(value[field]);
    if (must !== undefined) return `${field}: ${quoted(value[field])}: ${must}`;
  }
  return undefined;
}

/** The fields that the shape names, of a value without a fault. */
export function pick<T extends object>(value: T, shape: Schema<T>): T;
export function pick(value: Record<string, unknown>, shape: Record<string, Validator>): object {
  const fields = Object.keys(shape).filter((field) => value[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, value[field]]));
}

/** Longer ones would fill histories. */
const longestText = 300_000;

export const text: Validator = (value) =>
  typeof value === 'string' && value.length <= longestText ? undefined : 'must be a text';

export const name: Validator = (value) =>
  typeof value === 'string' && value !== '' && value.length <= longestName
    ? undefined
    : `must be a text of 1 to ${longestName} characters`;

const longestName = 1_000;

export const flag: Validator = (value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false';

export const count: Validator = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? undefined
    : 'must be a whole number of 0 or more';

/** Milliseconds; a Date reaches no further. */
export const time: Validator = (value) =>
  typeof value === 'number' && Math.abs(value) <= 8.64e15
    ? undefined
    : 'must be a time in milliseconds';

export const resourceVersion: Validator = (value) =>
  typeof value === 'string' && /^\d{1,30}$/.test(value)
    ? undefined
    : 'must be a decimal number as text';

export function optional(check: Validator): Validator {
  return (value) => (value === undefined ? undefined : check(value));
}

export function listOf(check: Validator, most: number): Validator {
  return (value) => {
    if (!Array.isArray(value) || value.length > most) return `must be a list of at most ${most}`;
    const must = value.map((item) => check(item)).find((fault) => fault !== undefined);
    return must === undefined ? undefined : `each entry ${must}`;
  };
}

export function objectOf<T>(shape: Schema<T>): Validator {
  return (value) => {
    const fault = errorIn(value, shape);
    return fault === undefined ? undefined : `in it, ${fault}`;
  };
}

export function oneOf(...words: string[]): Validator {
  return (value) =>
    typeof value === 'string' && words.includes(value)
      ? undefined
      : `must be ${words.join(' or ')}`;
}
