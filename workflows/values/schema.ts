/**
 * Checks that values from outside have the form of their type: anyone may send a signal, and
 * drivers are written in any language.
 */
import { quoted } from '../api/validation.ts';
import { isRecord } from './is-record.ts';

declare const checked: unique symbol;

/** Requirement that a value fails, in words; undefined when it is a `T`. */
export interface Validator<T> {
  (value: unknown): string | undefined;
  /** For the compiler alone: a schema checks the kinds that its type has. */
  readonly [checked]?: (value: T) => T;
}

type Checks = Readonly<Record<string, (value: unknown) => string | undefined>>;

/** Of each field of an object. Others are left out. */
export type Schema<T> = {
  readonly [Field in Extract<keyof T, string>]-?: Validator<T[Field]>;
};

type Checked<Check> = Check extends Validator<infer T> ? T : never;

type OptionalIn<S> = { [Field in keyof S]: undefined extends Checked<S[Field]> ? Field : never };

/** The type that a schema checks. */
export type Infer<S> = {
  -readonly [Field in Exclude<keyof S, OptionalIn<S>[keyof S]>]: Checked<S[Field]>;
} & {
  -readonly [Field in OptionalIn<S>[keyof S]]?: Exclude<Checked<S[Field]>, undefined>;
};

/** Faults name the field, the value and what is allowed. Undefined: the value is whole. */
export function errorIn(value: unknown, shape: Checks): string | undefined {
  if (!isRecord(value)) return `${quoted(value)}: must be an object`;
  for (const [field, check] of Object.entries(shape)) {
    const must = check(value[field]);
    if (must !== undefined) return `${field}: ${quoted(value[field])}: ${must}`;
  }
  return undefined;
}

/** The fields that the shape names, of a value without a fault. */
export function pick<T extends object>(value: T, shape: Schema<T>): T;
export function pick(value: Record<string, unknown>, shape: Checks): object {
  const fields = Object.keys(shape).filter((field) => value[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, value[field]]));
}

/** Longer ones would fill histories. */
const longestText = 300_000;

export const text: Validator<string> = (value) =>
  typeof value === 'string' && value.length <= longestText ? undefined : 'must be a text';

export const name: Validator<string> = (value) =>
  typeof value === 'string' && value !== '' && value.length <= longestName
    ? undefined
    : `must be a text of 1 to ${longestName} characters`;

const longestName = 1_000;

export const flag: Validator<boolean> = (value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false';

export const count: Validator<number> = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? undefined
    : 'must be a whole number of 0 or more';

/** Milliseconds; a Date reaches no further. */
export const time: Validator<number> = (value) =>
  typeof value === 'number' && Math.abs(value) <= 8.64e15
    ? undefined
    : 'must be a time in milliseconds';

export const resourceVersion: Validator<string> = (value) =>
  typeof value === 'string' && /^\d{1,30}$/.test(value)
    ? undefined
    : 'must be a decimal number as text';

export function optional<T>(check: Validator<T>): Validator<T | undefined> {
  return (value) => (value === undefined ? undefined : check(value));
}

export function listOf<T>(check: Validator<T>, most: number): Validator<T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length > most) return `must be a list of at most ${most}`;
    const must = value.map((item) => check(item)).find((fault) => fault !== undefined);
    return must === undefined ? undefined : `each entry ${must}`;
  };
}

export function objectOf<T>(shape: Schema<T>): Validator<T> {
  return (value) => {
    const fault = errorIn(value, shape);
    return fault === undefined ? undefined : `in it, ${fault}`;
  };
}

export function oneOf<Word extends string>(...words: Word[]): Validator<Word> {
  return (value) =>
    words.some((word) => word === value) ? undefined : `must be ${words.join(' or ')}`;
}
