/** The table of defects in docs/internals/simulation.md. */
import type { Verdict } from './defect-search.ts';
import type { Defect } from './defects.ts';

const begin = '<!-- defects: begin; made by npm run simulate -- --defects -->';
const end = '<!-- defects: end -->';
const head = '| id | defect | found by rule | CPU s | seed |\n| --- | --- | --- | ---: | ---: |';
const notFound = 'not found';

/**
 * The page with the verdicts in its table. Rows of defects that were not tried stay; those of
 * defects that are not in the list any more go. Throws when the page has no place for a table.
 */
export function withVerdicts(
  page: string,
  verdicts: readonly Verdict[],
  defects: readonly Defect[],
): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no "${begin}" with an end`);
  const rows = rowsIn(page.slice(from, to));
  for (const verdict of verdicts) rows.set(verdict.id, rowOf(verdict));
  const kept = defects.flatMap(({ id }) => rows.get(id) ?? []);
  const found = kept.filter((row) => !row.includes(`| ${notFound} |`)).length;
  const count = `${found} of ${kept.length} were found.`;
  return `${page.slice(0, from)}${begin}\n\n${[head, ...kept].join('\n')}\n\n${count}\n\n${page.slice(to)}`;
}

/** By id, as the formatter left them or as we make them. */
function rowsIn(table: string): Map<string, string> {
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  const cells = lines.slice(2).map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(cells.map((row) => [row[1] ?? '', row.join(' | ').trim()]));
}

function rowOf({ id, title, rule, seed, cpuSeconds }: Verdict): string {
  const cells = [
    id,
    clipped(title, 84),
    clipped(rule ?? notFound, 40),
    cpuSeconds.toFixed(0),
    seed === undefined ? '' : String(seed),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** A table line is read in a terminal, and a pipe would end the cell. */
function clipped(text: string, most: number): string {
  const plain = text.replaceAll('|', '/');
  return plain.length <= most ? plain : `${plain.slice(0, most - 3)}...`;
}
