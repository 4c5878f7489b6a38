/**
 * What holds for the table of each provider, and a page that shows both specs side by side for
 * people who review a change: `UPDATE_GOLDEN=1` writes it anew.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type {
  PoolContext,
  ProviderTable,
  Row,
} from '../../../../activities/front/providers/table.ts';
import { translate, translateBack } from '../../../../activities/front/providers/translate.ts';
import { yamlText } from '../../../../userdata/quoting.ts';

type Fields = Record<string, unknown>;

export interface TableCase {
  /** `validate` of our driver. */
  validate: (providerSpec: unknown) => string[];
  /** Fields of their type, in its order; those of an object dotted. */
  fields: readonly string[];
  /** With a value for each field that is said, is a credential or is ignored. */
  said: Fields;
  /** With a value for each field that is refused, and for faults of fields that are said. */
  refused: Fields;
  /** Variables of the process. Default none. */
  env?: Readonly<Record<string, string>>;
  pool?: Partial<PoolContext>;
  /** Theirs -> ours. */
  providerIDs: readonly (readonly [theirs: string, ours: { value: string } | { fault: string }])[];
}

export const defaultPool: PoolContext = {
  namespace: 'kube-system',
  name: 'workers',
  cluster: 'example',
  operatingSystem: 'ubuntu',
  sshPublicKeys: [],
};

/** `name`: of the page. */
export function checkTable(name: string, table: ProviderTable, given: TableCase): void {
  const { fields, said, refused, validate, env = {} } = given;
  const pool = { ...defaultPool, ...given.pool };
  const made = translate(table, said, { pool, env });

  test('each field of their type has a row', () => {
    expect([...new Set(table.rows.map(({ theirs }) => theirs))].toSorted()).toEqual(
      fields.toSorted(),
    );
  });

  test('the page shows both specs, and what is wrong with one that cannot be said', async () => {
    const { faults, ...rest } = made;
    const text = yamlText({
      theirs: said,
      ours: { ...rest, credentials: Object.keys(made.credentials) },
      faults,
      refused: {
        theirs: refused,
        faults: translate(table, refused, { pool, env }).faults,
      },
    });
    const file = new URL(`golden/${name}.yaml`, import.meta.url);
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(file, text);
    expect(text).toBe(await readFile(file, 'utf8'));
  });

  test('what is said has no faults, for the driver neither', () => {
    expect([...made.faults, ...validate(made.providerSpec)]).toEqual([]);
  });

  test('each field that is refused is in the faults', () => {
    const { faults } = translate(table, refused, { pool, env });
    const rows = table.rows.filter((row) => 'refused' in row);
    const missing = rows.filter(
      ({ theirs }) => !faults.some((fault) => fault.includes(`.${theirs} `)),
    );
    expect(missing.map(({ theirs }) => theirs)).toEqual([]);
  });

  test('the way back gives what was said', () => {
    expect(translateBack(table, made)).toEqual(without(said, table.rows.filter(isLost)));
  });

  test('no value of a credential stands in the spec, a fault or a sentence', () => {
    const { credentials, ...rest } = made;
    const shown = JSON.stringify([rest, translate(table, refused, { pool, env }).faults]);
    const secrets = Object.values(credentials).filter((value) => /secret/i.test(value));
    expect(secrets.filter((value) => shown.includes(value))).toEqual([]);
  });

  test.each(given.providerIDs)('the providerID %s', (theirs, ours) => {
    const own = table.providerID?.(theirs, made.providerSpec) ?? { value: theirs };
    expect(own).toEqual(ours);
  });
}

function isLost(row: Row): boolean {
  return 'ignored' in row;
}

/** Objects that have nothing left are left out too. */
function without(fields: Fields, rows: readonly Row[], prefix = ''): Fields {
  const left = Object.entries(fields).flatMap(([key, value]): [string, unknown][] => {
    const path = `${prefix}${key}`;
    if (rows.some(({ theirs }) => theirs === path)) return [];
    if (!rows.some(({ theirs }) => theirs.startsWith(`${path}.`))) return [[key, value]];
    const inner = without(Object(value), rows, `${path}.`);
    return Object.keys(inner).length === 0 ? [] : [[key, inner]];
  });
  return Object.fromEntries(left);
}
