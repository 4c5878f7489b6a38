/**
 * A provider spec as its driver gets it: keys in the case of the schema, and its defaults. MCM's
 * drivers read a spec with Go's encoding/json, which takes a key in any case, and Gardener's own
 * charts rely on that (`skipMarketPlaceAgreement` in gardener-extension-provider-azure).
 */
import type { Driver } from './driver.ts';
import { nearestOf } from '../../workflows/values/nearest.ts';
import { withCalls } from './with-calls.ts';

interface SpecSchema {
  $ref?: string;
  $defs?: Readonly<Record<string, SpecSchema>>;
  properties?: Readonly<Record<string, SpecSchema>>;
  additionalProperties?: SpecSchema | boolean;
  items?: SpecSchema;
  enum?: readonly unknown[];
  /** The cloud takes what `enum` lists in any case. */
  'x-any-case'?: boolean;
  type?: string;
  default?: unknown;
}

/** Of each key that is ignored. */
interface IgnoredKey {
  path: string;
  key: string;
  /** Fields beside it that have no value. */
  absent: readonly string[];
  /** The key that goes before it; absent: the schema does not know it. */
  instead?: string;
}

interface Walk {
  root: SpecSchema;
  path: string;
  onIgnored(ignored: IgnoredKey): void;
}

/**
 * The reading by a JSON schema (draft 2020-12) with `properties`, `items`, `additionalProperties`
 * and `$ref` to its own `$defs`. A key that is exactly in the schema wins over one that differs in
 * case; keys of maps, and those that the schema does not know, stay as they are. With `x-any-case`
 * a value gets the case that `enum` has it in. As in Go an empty string where the schema lists the
 * values is absent, and null in a map of strings an empty one. A field that is absent, or null, has
 * its `default`.
 */
export function readingOf(schema: object): (providerSpec: unknown) => unknown {
  const walk = { root: schema, path: '', onIgnored: () => {} };
  return (providerSpec) => read(schema, providerSpec, walk);
}

function read(schema: SpecSchema | undefined, value: unknown, walk: Walk): unknown {
  const known = resolved(schema, walk);
  if (known?.['x-any-case']) return listed(known, value);
  if (!known || typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return Object.fromEntries(fieldsOf(known, value, walk));
  return value.map((item, index) =>
    read(known.items, item, { ...walk, path: `${walk.path}[${index}]` }),
  );
}

function fieldsOf(known: SpecSchema, value: object, walk: Walk): [string, unknown][] {
  const { properties = {} } = known;
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  const nameOf = (key: string): string => names.get(key.toLowerCase()) ?? key;
  const keys = Object.keys(value);
  const exact = keys.filter((key) => nameOf(key) === key);
  const keyOf = new Map([...keys, ...exact].map((key) => [nameOf(key), key]));
  const absent = Object.keys(properties).filter((name) => !keyOf.has(name));
  const { path, onIgnored } = walk;
  for (const key of keys) {
    const instead = keyOf.get(nameOf(key)) ?? key;
    if (instead !== key) onIgnored({ path, key, absent, instead });
  }
  const given = [...keyOf].flatMap(([name, key]): [string, unknown][] => {
    const inner = resolved(innerOf(known, name), walk);
    if (!inner) onIgnored({ path, key, absent });
    const item = givenOf(known, inner, Reflect.get(value, key));
    return item === null ? [] : [[name, read(inner, item, { ...walk, path: `${path}.${name}` })]];
  });
  return [...defaultsOf(properties), ...given];
}

/** Null: it is absent. */
function givenOf(map: SpecSchema, schema: SpecSchema | undefined, value: unknown): unknown {
  // YAML's `key:` without a value, such as that of a tag of which only the name counts.
  const isText = value === null && !map.properties && schema?.type === 'string';
  const text = isText ? '' : value;
  return text === '' && schema?.enum?.includes('') === false ? null : text;
}

function defaultsOf(properties: Readonly<Record<string, SpecSchema>>): [string, unknown][] {
  return Object.entries(properties).flatMap(([name, field]): [string, unknown][] =>
    field.default === undefined ? [] : [[name, field.default]],
  );
}

function innerOf(
  { properties, additionalProperties }: SpecSchema,
  name: string,
): SpecSchema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function resolved(schema: SpecSchema | undefined, { root }: Walk): SpecSchema | undefined {
  const [, name] = /^#\/\$defs\/(.+)$/.exec(schema?.$ref ?? '') ?? [];
  return name === undefined ? schema : root.$defs?.[name];
}

function listed({ enum: values = [] }: SpecSchema, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const lower = value.toLowerCase();
  return values.find((one) => String(one).toLowerCase() === lower) ?? value;
}

/**
 * A spec with more of them was not written by a person, and comparing them all would take a
 * worker's time.
 */
const comparedMax = 2_000;
const warningsMax = 20;

/**
 * A sentence for each key that the schema does not know and that differs by a letter or two from a
 * field that is not there, and for each that another one in other case goes before. Clouds' drivers
 * ignore unknown keys, as MCM's do, so such a field is lost silently. At most 20.
 */
export function nearMissesOf(schema: object): (providerSpec: unknown) => string[] {
  return (providerSpec) => {
    const warnings: string[] = [];
    let compared = 0;
    const onIgnored = ({ path, key, absent, instead }: IgnoredKey): void => {
      compared += 1;
      if (compared > comparedMax || warnings.length === warningsMax) return;
      const nearest = instead ?? nearestOf(key, absent);
      if (nearest === undefined) return;
      warnings.push(
        instead === undefined
          ? `${path}.${key} is not a field and is ignored; did you mean ${nearest}?`
          : `${path}.${key} is ignored, as ${instead} is there as well`,
      );
    };
    read(schema, providerSpec, { root: schema, path: 'providerSpec', onIgnored });
    return warnings;
  };
}

/**
 * The same driver for specs whose keys are in any case and which lack what the schema has a
 * `default` for, with a warning for keys that are nearly those of a field.
 */
export function withSpelling(schema: object, driver: Driver): Driver {
  const reading = readingOf(schema);
  return {
    ...withCalls(driver, (_operation, call) => async (request) => {
      return await call({ ...request, providerSpec: reading(request.providerSpec) });
    }),
    listScope: (providerSpec) => driver.listScope(reading(providerSpec)),
    limitScope: (providerSpec) => driver.limitScope?.(reading(providerSpec)) ?? '',
    validate: (providerSpec) => driver.validate(reading(providerSpec)),
    warnings: nearMissesOf(schema),
  };
}
