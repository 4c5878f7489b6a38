/** A `cloudProviderSpec` whose values are read -> our provider spec and credentials, and back. */
import { quoted } from '../../../workflows/api/validation.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { nearestOf } from '../../../workflows/values/nearest.ts';
import {
  FieldFault,
  type Fields,
  type CredentialRow,
  type PoolContext,
  type ProviderTable,
  type RefusedRow,
  type SaidRow,
  type Translation,
} from './table.ts';

const whole = 'cloudProviderSpec';

interface Context {
  pool: PoolContext;
  /** Variables of the process, for fields that are empty. */
  env: Readonly<Record<string, string | undefined>>;
  /** Values of Secrets that `spec` has. */
  secrets?: ReadonlySet<string>;
}

export function translate(
  table: ProviderTable,
  spec: Fields,
  { pool, env, secrets = new Set() }: Context,
): Translation {
  const made: Translation = {
    provider: table.provider,
    providerSpec: {},
    credentials: {},
    faults: unknownFields(table, spec),
    ignored: [],
  };
  const read = withEnvironment(table, spec, env);
  const context = { made, spec: read, pool, secrets };
  for (const row of table.rows) {
    const written = at(read, row.theirs);
    const value = isEmpty(written) ? undefined : written;
    if ('ours' in row) say(row, value, context);
    else if ('secret' in row) keep(row, value, context);
    else if ('refused' in row) refuse(row, value, context);
    else if (value !== undefined) made.ignored.push(`${whole}.${row.theirs}: ${row.ignored}`);
  }
  const more = table.more?.(read, pool);
  made.providerSpec = merged(made.providerSpec, more?.providerSpec ?? {});
  made.faults.push(...(more?.faults ?? []));
  made.ignored.push(...(more?.ignored ?? []));
  return made;
}

/** What their side would say; the values of credentials are those of the Secret. */
export function translateBack(
  table: ProviderTable,
  { providerSpec, credentials }: Pick<Translation, 'providerSpec' | 'credentials'>,
): Record<string, unknown> {
  const spec: Record<string, unknown> = {};
  for (const row of table.rows) {
    if (!('ours' in row || 'secret' in row)) continue;
    const value = 'ours' in row ? at(providerSpec, row.ours) : credentials[row.secret];
    set(spec, row.theirs, value === undefined || !row.back ? value : row.back(value, providerSpec));
  }
  return merged(spec, table.moreBack?.(providerSpec) ?? {});
}

function withEnvironment(
  { rows }: ProviderTable,
  spec: Fields,
  env: Readonly<Record<string, string | undefined>>,
): Fields {
  const read = structuredClone({ ...spec });
  for (const { theirs, env: variable } of rows) {
    const value = variable === undefined ? undefined : env[variable];
    if (value && isEmpty(at(read, theirs))) set(read, theirs, value);
  }
  return read;
}

interface RowContext {
  made: Translation;
  spec: Fields;
  pool: PoolContext;
  secrets: ReadonlySet<string>;
}

function say(row: SaidRow, written: unknown, { made, spec, pool, secrets }: RowContext): void {
  const { providerSpec, faults } = made;
  const value = written ?? row.default;
  if (value === undefined) {
    if (row.required !== undefined) faults.push(missing(row.theirs, row.required));
    return;
  }
  try {
    set(providerSpec, row.ours, row.to ? row.to(value, spec, pool) : value);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    faults.push(`${whole}.${row.theirs} ${shown(value, secrets)} ${error.message}`);
  }
}

function keep(row: CredentialRow, value: unknown, { made, spec, pool }: RowContext): void {
  const { credentials, faults } = made;
  if (value === undefined) {
    if (row.required !== undefined) faults.push(missing(row.theirs, row.required));
    return;
  }
  try {
    const own = row.to ? row.to(value, spec, pool) : value;
    if (own !== undefined) credentials[row.secret] = asText(own);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    faults.push(`${whole}.${row.theirs} ${error.message}`);
  }
}

function refuse(
  { theirs, refused, harmless = [] }: RefusedRow,
  value: unknown,
  { made, secrets }: RowContext,
): void {
  if (value === undefined || harmless.includes(value)) return;
  made.faults.push(`${whole}.${theirs} ${shown(value, secrets)} cannot be said: ${refused}`);
}

/** Asked before it is cut: what is left of a secret then is not known as one. */
function shown(value: unknown, secrets: ReadonlySet<string>): string {
  const text = asText(value);
  const forms = [...secrets].flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]);
  return forms.some((form) => form !== '' && text.includes(form)) ? '"***"' : quoted(text);
}

function missing(theirs: string, required: string): string {
  return `${whole}.${theirs} is missing: ${required}`;
}

/** Strict, as machine-controller reads it: a misspelt field is a fault and no field. */
function unknownFields({ rows }: ProviderTable, spec: Fields): string[] {
  const paths = rows.map(({ theirs }) => theirs);
  return unknownWithin(spec, { path: whole, known: paths });
}

/** `known`: paths from here on; an object with a row of its own may hold anything. */
function unknownWithin(
  fields: Fields,
  { path, known }: { path: string; known: readonly string[] },
): string[] {
  const names = [...new Set(known.map((name) => name.split('.')[0] ?? ''))];
  return Object.entries(fields).flatMap(([field, value]) => {
    const here = `${path}.${field}`;
    if (!names.includes(field)) {
      const meant = nearestOf(field, names);
      const hint = meant === undefined ? 'remove it' : `did you mean "${meant}"?`;
      return [`${here} is not known: ${hint}`];
    }
    if (known.includes(field) || !isRecord(value)) return [];
    const prefix = `${field}.`;
    const inner = known.filter((name) => name.startsWith(prefix));
    return unknownWithin(value, {
      path: here,
      known: inner.map((name) => name.slice(prefix.length)),
    });
  });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split('.'))
    found = Array.isArray(found) || isRecord(found) ? Reflect.get(found, key) : undefined;
  return found;
}

function set(target: Record<string, unknown>, path: string, value: unknown): void {
  if (value === undefined) return;
  const keys = path.split('.');
  let place: object = target;
  for (const [index, key] of keys.entries()) {
    const next = keys[index + 1];
    if (next === undefined) Reflect.set(place, key, value);
    else place = placeIn(place, key, /^\d+$/.test(next));
  }
}

function placeIn(place: object, key: string, isList: boolean): object {
  const there: unknown = Reflect.get(place, key);
  if (Array.isArray(there) || isRecord(there)) return there;
  const made = isList ? [] : {};
  Reflect.set(place, key, made);
  return made;
}

function merged(base: Fields, over: Fields): Record<string, unknown> {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) result[key] = joined(result[key], value);
  return result;
}

/** Lists of objects are joined item by item, other lists are replaced. */
function joined(before: unknown, over: unknown): unknown {
  if (isRecord(before) && isRecord(over)) return merged(before, over);
  if (!Array.isArray(before) || !Array.isArray(over) || !over.every(isRecord)) return over;
  const rest: unknown[] = before.slice(over.length);
  return [...over.map((item, index) => joined(before[index], item)), ...rest];
}
