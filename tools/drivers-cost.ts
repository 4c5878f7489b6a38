/**
 * `npm run drivers:cost`: what each driver costs, in lines of TypeScript. Tables of error codes,
 * schema and generated types count apart: they are facts of the cloud and no program.
 */
import { readdirSync, readFileSync } from 'node:fs';

const drivers = new URL('../activities/drivers/', import.meta.url);

/** Of the driver's folder: what is no program of its own. */
const tables: readonly string[] = ['errors.ts'];
const schemas: readonly string[] = ['provider-spec.schema.json'];
const generated: readonly string[] = ['provider-spec.ts'];

export interface DriverLines {
  driver: string;
  /** Of TypeScript, beside the others. */
  lines: number;
  tables: number;
  schema: number;
  generated: number;
}

/** Of the folders of all drivers, without the frame that they share. */
export function driverFolders(): string[] {
  return readdirSync(drivers, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'frame')
    .map(({ name }) => name)
    .toSorted();
}

export function linesOf(driver: string): DriverLines {
  const folder = new URL(`${driver}/`, drivers);
  const names = readdirSync(folder, { recursive: true }).map(String);
  const apart = [...tables, ...schemas, ...generated];
  const linesIn = (wanted: readonly string[]): number =>
    wanted
      .filter((name) => names.includes(name))
      .map((name) => readFileSync(new URL(name, folder), 'utf8').split('\n').length - 1)
      .reduce((sum, lines) => sum + lines, 0);
  return {
    driver,
    lines: linesIn(names.filter((name) => name.endsWith('.ts') && !apart.includes(name))),
    tables: linesIn(tables),
    schema: linesIn(schemas),
    generated: linesIn(generated),
  };
}

/** A table for people. */
function shown(rows: readonly DriverLines[]): string {
  const table = [
    ['driver', 'lines', 'tables', 'schema', 'generated'],
    ...rows.map(({ driver, ...counts }) => [
      driver,
      ...[counts.lines, counts.tables, counts.schema, counts.generated].map(String),
    ]),
  ];
  return table
    .map(([name = '', ...cells]) => [name.padEnd(16), ...cells.map((cell) => cell.padStart(10))])
    .map((cells) => `${cells.join('')}\n`)
    .join('');
}

if (import.meta.main) process.stdout.write(shown(driverFolders().map(linesOf)));
