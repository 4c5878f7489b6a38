/** The structural schema of a CustomResourceDefinition: what it takes away, and what it refuses. */
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Cause } from './status.ts';

/** The keywords that deploy/crds uses, and that say more than how a field is described. */
export interface Schema {
  type?: string;
  format?: string;
  default?: unknown;
  nullable?: boolean;
  pattern?: string;
  maxLength?: number;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema;
  items?: Schema;
  required?: readonly string[];
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
}

const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Without fields that are not known, and without nulls where there may be none. */
export function pruned(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(schema.items ?? anything, item));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).flatMap(([key, part]) => {
    const known = schemaOf(schema, key);
    if (!known || (part === null && known !== anything && !known.nullable)) return [];
    return [[key, pruned(known, part)] as const];
  });
  return Object.fromEntries(fields);
}

/** Undefined for a field that is not known. */
function schemaOf(schema: Schema, key: string): Schema | undefined {
  const { properties = {}, additionalProperties } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'];
  return properties[key] ?? additionalProperties ?? (isOpen ? anything : undefined);
}

/** What is wrong with the value of the field `at`, in the words of the server. */
export function schemaFaults(schema: Schema, value: unknown, at = ''): Cause[] {
  const ofType = typeFault(schema, value, at);
  if (ofType) return [ofType];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      schemaFaults(schema.items ?? anything, item, `${at}[${index}]`),
    );
  }
  if (!isRecord(value)) return typeof value === 'string' ? textFaults(schema, value, at) : [];
  const missing = (schema.required ?? []).filter((key) => value[key] === undefined);
  return [
    ...missing.map((key) => missingFault(fieldIn(at, key))),
    ...Object.entries(value).flatMap(([key, part]) =>
      schemaFaults(schemaOf(schema, key) ?? anything, part, fieldIn(at, key)),
    ),
  ];
}

const fieldIn = (at: string, key: string): string => (at === '' ? key : `${at}.${key}`);

function missingFault(field: string): Cause {
  return { reason: 'FieldValueRequired', message: 'Required value', field };
}

function typeFault(schema: Schema, value: unknown, field: string): Cause | undefined {
  const allowed = typesOf(schema);
  const found = typeOf(value);
  if (found === 'null' && schema.nullable) return undefined;
  const isRight = allowed.length === 0 || allowed.includes(found);
  return isRight ? timeFault(schema, value, field) : wrongType(field, allowed.join(','), found);
}

/** None where any will do. */
function typesOf(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

function timeFault({ format }: Schema, value: unknown, field: string): Cause | undefined {
  const isTime = format === 'date-time' && typeof value === 'string';
  return isTime && !isDateTime(value) ? wrongType(field, format, value) : undefined;
}

function wrongType(field: string, type: string, shown: string): Cause {
  const found = JSON.stringify(shown);
  // What is wrong with a status is said of the field within it.
  const name = field.replace(/^status(\.|$)/, '');
  const message = `Invalid value: ${found}: ${name} in body must be of type ${type}: ${found}`;
  return { reason: 'FieldValueTypeInvalid', message, field };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));
}

function textFaults({ pattern, maxLength }: Schema, text: string, field: string): Cause[] {
  const faults: Cause[] = [];
  if (maxLength !== undefined && Buffer.byteLength(text) > maxLength) {
    const message = `Too long: may not be more than ${maxLength} bytes`;
    faults.push({ reason: 'FieldValueTooLong', message, field });
  }
  if (pattern !== undefined && !new RegExp(pattern).test(text)) {
    const message = `Invalid value: ${JSON.stringify(text)}: ${field} in body should match '${pattern}'`;
    faults.push({ reason: 'FieldValueInvalid', message, field });
  }
  return faults;
}
