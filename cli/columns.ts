/** Columns as kubectl prints them: three blanks between, no lines. */

export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_head, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   '))
    .map((line) => line.trimEnd())
    .join('\n');
}
