/** Rules for what is sent to doubles of REST clouds. */
import { isRecord } from '../../../workflows/values/is-record.ts';

/** In words what it has to be; undefined: it is right. */
export type Rule = (value: unknown) => string | undefined;

export interface FieldRule {
  rule: Rule;
  isNeeded?: boolean;
}

export interface FieldFault {
  name: string;
  words: string;
}

/** Unknown fields, those that are missing, and those that are wrong. */
export function fieldFaults(
  body: unknown,
  rules: Readonly<Record<string, FieldRule>>,
): FieldFault[] {
  const fields = isRecord(body) ? body : {};
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(rules, name));
  return [
    ...unknown.map((name) => ({ name, words: 'unknown field' })),
    ...Object.entries(rules).flatMap(([name, { rule, isNeeded = false }]) => {
      const value = fields[name];
      if (value === undefined) return isNeeded ? [{ name, words: 'is required' }] : [];
      const words = rule(value);
      return words === undefined ? [] : [{ name, words }];
    }),
  ];
}

const when = (isRight: boolean, words: string): string | undefined => (isRight ? undefined : words);

export const aText =
  (form = /^/, max = 255): Rule =>
  (value) =>
    when(typeof value === 'string' && form.test(value) && value.length <= max, 'is not valid');

export const aTruth: Rule = (value) => when(typeof value === 'boolean', 'is not a boolean');

export const anId: Rule = (value) =>
  when(Number.isInteger(value) && Number(value) > 0, 'is not an ID');

export const eitherOf =
  (...rules: Rule[]): Rule =>
  (value) =>
    rules.some((rule) => rule(value) === undefined) ? undefined : 'is of no form that is allowed';

export const listOf =
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value)
      ? value.map((item: unknown) => rule(item)).find((words) => words !== undefined)
      : 'is not a list';

export const anObject =
  (rules: Readonly<Record<string, FieldRule>>): Rule =>
  (value) => {
    if (!isRecord(value)) return 'is not an object';
    const [first] = fieldFaults(value, rules);
    return first && `${first.name}: ${first.words}`;
  };

/** The time of a double goes on when a test says so. */
export class HandClock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  advance(seconds: number): void {
    this.#ahead += seconds * 1_000;
  }

  text(milliseconds = this.now()): string {
    return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, '+00:00');
  }
}
