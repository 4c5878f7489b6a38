/** A request that cannot be understood. The message names field, value and what is allowed. */
import { isRecord } from '../../../workflows/values/is-record.ts';
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

interface Range {
  min: number;
  max: number;
}

/** Reads the fields of a JSON object from outside. A field that is absent or null is undefined. */
export class Fields {
  readonly #record: Record<string, unknown>;
  readonly #path: string;

  /** `path` says where the object stands, e.g. `faults[0]`; empty for the body itself. */
  constructor(value: unknown, path = '') {
    if (!isRecord(value)) throw new BadRequest(fault(path || 'body', value, 'a JSON object'));
    this.#record = value;
    this.#path = path === '' ? '' : `${path}.`;
  }

  /** Refuses misspelt fields: a fault that never fires is hard to find. */
  allow(...names: string[]): this {
    const unknown = Object.keys(this.#record).find((name) => !names.includes(name));
    if (unknown === undefined) return this;
    throw new BadRequest(`${this.#path}${unknown}: unknown field; known are ${names.join(', ')}`);
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  value(name: string): unknown {
    return this.#record[name] ?? undefined;
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.refusal(name, 'a text');
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw this.refusal(name, 'a text that is not empty');
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.refusal(name, 'true or false');
  }

  number(name: string, { min, max }: Range): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw this.refusal(name, `a number from ${min} to ${max}`);
  }

  count(name: string, range: Range): number | undefined {
    const value = this.number(name, range);
    if (value === undefined || Number.isInteger(value)) return value;
    throw this.refusal(name, `a whole number from ${range.min} to ${range.max}`);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    throw this.refusal(name, `one of ${allowed.join(', ')}`);
  }

  texts(name: string): Record<string, string> {
    const value = this.value(name) ?? {};
    if (isRecord(value) && hasTextsOnly(value)) return value;
    throw this.refusal(name, 'an object whose values are texts');
  }

  list(name: string): Fields[] {
    const value = this.value(name) ?? [];
    if (!Array.isArray(value)) throw this.refusal(name, 'a list');
    return value.map((item, index) => new Fields(item, `${this.#path}${name}[${index}]`));
  }

  /** The error to throw about a field. */
  refusal(name: string, allowed: string): BadRequest {
    return new BadRequest(fault(`${this.#path}${name}`, this.value(name), allowed));
  }
}

function hasTextsOnly(value: Record<string, unknown>): value is Record<string, string> {
  return Object.values(value).every((item) => typeof item === 'string');
}

function fault(path: string, value: unknown, allowed: string): string {
  const shown = value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
  return `${path}: ${shown} is not ${allowed}`;
}
