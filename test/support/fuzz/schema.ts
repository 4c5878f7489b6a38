/**
 * Values of a structural schema (OpenAPI v3, as a CRD has it). Rules in CEL are left aside: a
 * cluster may have MCM's own CRDs, and stored objects may be older than the rules.
 */
import fc from 'fast-check';
import { anyText, dateTime } from './texts.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';

export interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  pattern?: string;
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-type'?: string;
}

/** Any value that the schema allows. */
export function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  const plain = plainValueOf(schema);
  return schema.nullable ? fc.option(plain, { freq: 5 }) : plain;
}

/**
 * A value that is like `good` in most of its parts and anything that the schema allows in the
 * others.
 */
export function mostlyLike(schema: Schema, good: unknown): fc.Arbitrary<unknown> {
  if (good === undefined) {
    return fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: valueOf(schema) },
    );
  }
  const whole = [
    { weight: 5, arbitrary: fc.constant(good) },
    { weight: 1, arbitrary: valueOf(schema) },
  ];
  if (!schema.properties || !isRecord(good)) return fc.oneof(...whole);
  const parts = Object.entries(schema.properties).map(([name, field]) => {
    const part = mostlyLike(field, good[name]);
    const isNeeded = schema.required?.includes(name) ?? false;
    return [name, isNeeded ? part : fc.option(part, { freq: 12, nil: undefined })] as const;
  });
  const mixed = fc
    .record(Object.fromEntries(parts))
    .map((record) => withoutUndefined({ ...good, ...record }));
  return fc.oneof(...whole, { weight: 6, arbitrary: mixed });
}

function plainValueOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string']) return intOrString(schema);
  switch (schema.type ?? 'object') {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integer(schema);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'string':
      return text(schema);
    case 'array':
      return list(schema);
    default:
      return object(schema);
  }
}

function intOrString({ anyOf = [] }: Schema): fc.Arbitrary<unknown> {
  const texts = anyOf.find(({ type }) => type === 'string') ?? { type: 'string' };
  return fc.oneof(integer({ format: 'int32' }), text(texts));
}

const edges32 = [0, 1, 3, -1, 2 ** 31 - 1, -(2 ** 31)];
const edges64 = [...edges32, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];

function integer({ format, minimum, maximum }: Schema): fc.Arbitrary<number> {
  const is64 = format !== 'int32';
  const min = minimum ?? (is64 ? Number.MIN_SAFE_INTEGER : -(2 ** 31));
  const max = maximum ?? (is64 ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1);
  const edges = (is64 ? edges64 : edges32).filter((edge) => edge >= min && edge <= max);
  const small = { min: Math.max(min, 0), max: Math.min(max, 10) };
  return fc.oneof(fc.constantFrom(...edges), fc.integer({ min, max }), fc.integer(small));
}

function text({ format, pattern, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return dateTime;
  const any = pattern === undefined ? anyText : patterned(new RegExp(pattern));
  if (minLength === 0 && maxLength === undefined) return any;
  return any.filter(({ length }) => length >= minLength && length <= (maxLength ?? length));
}

/** Those of our texts that fit, and others: long ones and edges are worth more than many. */
function patterned(pattern: RegExp): fc.Arbitrary<string> {
  return fc.oneof(
    anyText.filter((one) => pattern.test(one)),
    fc.stringMatching(pattern),
  );
}

function list(schema: Schema): fc.Arbitrary<unknown[]> {
  const item = valueOf(schema.items ?? {});
  const maxLength = Math.min(schema.maxItems ?? 4, 4);
  if (schema['x-kubernetes-list-type'] !== 'set') return fc.array(item, { maxLength });
  return fc.uniqueArray(item, { maxLength, selector: (value) => JSON.stringify(value) });
}

function object(schema: Schema): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required = [] } = schema;
  if (properties) {
    const fields: Record<string, fc.Arbitrary<unknown>> = {};
    for (const [name, field] of Object.entries(properties)) fields[name] = valueOf(field);
    const requiredKeys = required.filter((name) => name in properties);
    const known = fc.record(fields, { requiredKeys });
    if (!schema['x-kubernetes-preserve-unknown-fields']) return known;
    return fc.tuple(anyObject, known).map(([more, own]) => ({ ...more, ...own }));
  }
  if (!additionalProperties) return anyObject;
  const value = additionalProperties === true ? anyJson : valueOf(additionalProperties);
  const maxKeys = Math.min(schema.maxProperties ?? 4, 4);
  return fc.dictionary(fc.oneof(fc.constantFrom('pool', 'a/b'), anyText), value, { maxKeys });
}

const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 4 });
const anyObject = fc.dictionary(fc.string(), anyJson, { maxKeys: 3 });

function withoutUndefined(fields: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
