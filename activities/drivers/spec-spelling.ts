/**
 * Keys of a provider spec in the case of its schema. MCM's drivers read a spec with Go's
 * encoding/json, which takes a key in any case, and Gardener's own charts rely on that
 * (`skipMarketPlaceAgreement` in gardener-extension-provider-azure).
 */
import type { Driver } from './driver.ts';
import { nearestOf } from '../../workflows/values/nearest.ts';
import { withCalls } from './with-calls.ts';

interface Schema {
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: readonly unknown[];
  /** The cloud takes what `enum` lists in any case. */
  'x-any-case'?: boolean;
  type?: string;
  default?: unknown;
}

/**
 * The spelling of a JSON schema (draft 2020-12) with `properties`, `items`, `additionalProperties`
 * and `$ref` to its own `$defs`. A key that is exactly in the schema wins over one that differs in
 * case; keys of maps, and those that the schema does not know, stay as they are. With `x-any-case`
 * a value gets the case that `enum` has it in. As in Go an empty string where the schema lists the
 * values is absent, and null in a map of strings an empty one.
 */
export function spellingOf(schema: object): (providerSpec: unknown) => unknown {
  const root: Schema = schema;
  return (providerSpec) => spelled(root, providerSpec, root);
}

function spelled(schema: Schema | undefined, value: unknown, root: Schema): unknown {
  const known = resolved(schema, root);
  if (known?.['x-any-case']) return listed(known, value);
  if (!known || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => spelled(known.items, item, root));
  const nameOf = namingOf(known);
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const name = nameOf(key);
    if (name !== key && Object.hasOwn(value, name)) return [];
    const inner = resolved(innerOf(known, name), root);
    const given = isEmptyText(known, name, item) ? '' : item;
    return isNothing(inner, given) ? [] : [[name, spelled(inner, given, root)] as const];
  });
  return Object.fromEntries(entries);
}

/** From a key in any case to the name in the schema. */
function namingOf({ properties = {} }: Schema): (key: string) => string {
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  return (key) => names.get(key.toLowerCase()) ?? key;
}

function innerOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function resolved(schema: Schema | undefined, root: Schema): Schema | undefined {
  const [, name] = /^#\/\$defs\/(.+)$/.exec(schema?.$ref ?? '') ?? [];
  return name === undefined ? schema : root.$defs?.[name];
}

function listed({ enum: values = [] }: Schema, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const lower = value.toLowerCase();
  return values.find((one) => String(one).toLowerCase() === lower) ?? value;
}

function isNothing(schema: Schema | undefined, value: unknown): boolean {
  return value === '' && schema?.enum !== undefined && !schema.enum.includes('');
}

/** The spec with the `default` of each field of the schema that has one and is absent, or null. */
function filled(schema: Schema | undefined, value: unknown, root: Schema): unknown {
  const known = resolved(schema, root);
  if (!known || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => filled(known.items, item, root));
  const given = Object.entries(value).filter(([, item]) => item !== null);
  const defaults = Object.entries(known.properties ?? {}).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  return {
    ...Object.fromEntries(defaults),
    ...Object.fromEntries(
      given.map(([name, item]) => [name, filled(innerOf(known, name), item, root)]),
    ),
  };
}

/** YAML's `key:` without a value, such as that of a tag of which only the name counts. */
function isEmptyText(map: Schema, name: string, value: unknown): boolean {
  return value === null && !map.properties && innerOf(map, name)?.type === 'string';
}

/** Longer keys are no misspelled fields. */
const longestKey = 64;

/**
 * A spec with more of them was not written by a person, and comparing them all would take a
 * worker's time.
 */
const unknownKeysMax = 2_000;
const warningsMax = 20;

/**
 * A sentence for each key that the schema does not know and that differs by a letter or two from a
 * field that is not there, and for each that another one in other case goes before. Clouds' drivers
 * ignore unknown keys, as MCM's do, so such a field is lost silently. At most 20.
 */
export function nearMissesOf(schema: object): (providerSpec: unknown) => string[] {
  const root: Schema = schema;
  return (providerSpec) => {
    const warnings: string[] = [];
    let keysLeft = unknownKeysMax;
    const spec = { value: providerSpec, path: 'providerSpec' };
    for (const unknownKey of unknownKeys(root, spec, root)) {
      warnings.push(...warningsOf(unknownKey));
      keysLeft -= 1;
      if (keysLeft === 0 || warnings.length === warningsMax) break;
    }
    return warnings;
  };
}

interface Place {
  value: unknown;
  path: string;
}

interface UnknownKey {
  path: string;
  key: string;
  /** Fields beside it that have no value. */
  absent: readonly string[];
  /** The key that goes before it. */
  instead?: string;
}

function* unknownKeys(
  schema: Schema | undefined,
  { value, path }: Place,
  root: Schema,
): Generator<UnknownKey> {
  const known = resolved(schema, root);
  if (!known || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* unknownKeys(known.items, { value: item, path: `${path}[${index}]` }, root);
    }
    return;
  }
  yield* unknownFields(known, { value, path }, root);
}

function* unknownFields(
  known: Schema,
  { value, path }: { value: object; path: string },
  root: Schema,
): Generator<UnknownKey> {
  const nameOf = namingOf(known);
  const given = new Map(Object.keys(value).map((key) => [nameOf(key), key]));
  const absent = Object.keys(known.properties ?? {}).filter((name) => !given.has(name));
  for (const [key, item] of Object.entries(value)) {
    if (key.length > longestKey) continue;
    const name = nameOf(key);
    // As in the spelling.
    const instead = Object.hasOwn(value, name) ? name : given.get(name);
    const inner = innerOf(known, name);
    if (instead !== undefined && instead !== key) yield { path, key, absent, instead };
    else if (inner) yield* unknownKeys(inner, { value: item, path: `${path}.${name}` }, root);
    else yield { path, key, absent };
  }
}

function warningsOf({ path, key, absent, instead }: UnknownKey): string[] {
  if (instead !== undefined) return [`${path}.${key} is ignored, as ${instead} is there as well`];
  const nearest = nearestOf(key, absent);
  if (nearest === undefined) return [];
  return [`${path}.${key} is not a field and is ignored; did you mean ${nearest}?`];
}

/** A spec as its driver gets it: keys as the schema has them, and its `default`s. */
export function readingOf(schema: object): (providerSpec: unknown) => unknown {
  const spell = spellingOf(schema);
  return (providerSpec) => filled(schema, spell(providerSpec), schema);
}

/**
 * The same driver for specs whose keys are in any case and which lack what the schema has a
 * `default` for, with a warning for keys that are nearly those of a field.
 */
export function withSpelling(schema: object, driver: Driver): Driver {
  const read = readingOf(schema);
  return {
    ...withCalls(driver, (_operation, call) => async (request) => {
      return await call({ ...request, providerSpec: read(request.providerSpec) });
    }),
    listScope: (providerSpec) => driver.listScope(read(providerSpec)),
    limitScope: (providerSpec) => driver.limitScope?.(read(providerSpec)) ?? '',
    validate: (providerSpec) => driver.validate(read(providerSpec)),
    warnings: nearMissesOf(schema),
  };
}
