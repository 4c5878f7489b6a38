/**
 * Does a body have the shape that Google publishes for its resources? Read from the description
 * that comes with the SDK, not from our driver.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isRecord } from '../../../workflows/values/is-record.ts';

interface Field {
  type: string;
  rule?: string;
  keyType?: string;
}

interface Description {
  fields?: Record<string, Field>;
  nested?: Record<string, Description>;
  values?: Record<string, number>;
}

let published: Record<string, Description> | undefined;

function descriptions(): Record<string, Description> {
  published ??= read();
  return published;
}

function read(): Record<string, Description> {
  const entrance = createRequire(import.meta.url).resolve('@google-cloud/compute');
  const file = new URL('../protos/protos.json', `file://${entrance}`);
  let description: Description = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of ['google', 'cloud', 'compute', 'v1']) {
    description = description.nested?.[name] ?? {};
  }
  return description.nested ?? {};
}

/** Undefined when a resource of this kind has no such field. */
export function typeOfField(kind: string, field: string): string | undefined {
  return descriptions()[kind]?.fields?.[field]?.type;
}

/**
 * What is wrong, by field: `scheduling.preemptible: expected bool, not "yes"`. Empty when nothing
 * is.
 */
export function faultsOf(kind: string, value: unknown, path = ''): string[] {
  const { fields } = descriptions()[kind] ?? {};
  if (!fields) throw new Error(`the published description has no ${kind}`);
  if (!isRecord(value)) return [wrong(path || kind, `a ${kind}`, value)];
  return Object.entries(value).flatMap(([name, item]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const field = fields[name];
    return field ? fieldFaults(field, item, at) : [`Unknown name "${at}": cannot find field`];
  });
}

function fieldFaults(field: Field, value: unknown, path: string): string[] {
  const { type, rule, keyType } = field;
  if (keyType !== undefined) {
    if (!isRecord(value)) return [wrong(path, 'a map', value)];
    return Object.entries(value).flatMap(([key, item]) =>
      scalarFaults(type, item, `${path}.${key}`),
    );
  }
  if (rule !== 'repeated') return scalarFaults(type, value, path);
  if (!Array.isArray(value)) return [wrong(path, 'a list', value)];
  return value.flatMap((item: unknown, index) => scalarFaults(type, item, `${path}[${index}]`));
}

/** JSON of Google's APIs: 64-bit numbers are texts. */
const checks: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  int32: (value) => Number.isInteger(value),
  int64: (value) => typeof value === 'string' && /^-?\d+$/.test(value),
  uint64: (value) => typeof value === 'string' && /^\d+$/.test(value),
};

function scalarFaults(type: string, value: unknown, path: string): string[] {
  const check = checks[type];
  if (check) return check(value) ? [] : [wrong(path, type, value)];
  return faultsOf(type, value, path);
}

function wrong(path: string, expected: string, value: unknown): string {
  return `Invalid value at "${path}": expected ${expected}, not ${JSON.stringify(value)}`;
}
