/** Findings as lines: those that say the same of several objects are one. */
import type { Finding } from './finding.ts';
import { isoOf } from '../install/times.ts';
import type { Install } from '../install/install.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { ageSince } from '../terminal/age.ts';
import type { Cell } from '../terminal/columns.ts';
import { formatColumns, shownIn } from '../terminal/columns.ts';
import { clipLine, screenWidth } from '../terminal/screen.ts';
import { ownPalette } from '../terminal/style.ts';

interface Alike {
  first: Finding;
  count: number;
}

interface TableView {
  install: Install;
  isWide: boolean;
  /** Lines. Default all. */
  most?: number;
}

export function findingTable(
  findings: readonly Finding[],
  { install, isWide, most = Infinity }: TableView,
): string {
  const { bad } = ownPalette();
  const hasNamespaces = install.namespace === undefined;
  const head = [
    ...(hasNamespaces ? ['NAMESPACE'] : []),
    'TROUBLE',
    'OBJECT',
    'SINCE',
    ...(isWide ? ['UNTIL'] : []),
    'WHY',
  ];
  const all = alikeOf(findings);
  const alike = all.slice(0, most);
  const rows = alike.map((one) => {
    const { object, trouble, since, until } = one.first;
    return [
      ...(hasNamespaces ? [object.namespace ?? ''] : []),
      { coloured: bad(trouble ?? '-') },
      nameOf(one),
      since === undefined ? '-' : ageSince(since, install.now),
      ...(isWide ? [until === undefined ? '-' : isoOf(until)] : []),
    ];
  });
  const width = isWide ? undefined : screenWidth();
  // All columns but the last are as wide as they need; the last takes the rest of the line.
  const room = width === undefined ? Infinity : Math.max(width - widthOf(head, rows), 40);
  const texts = alike.map(({ first }) => clipLine(first.cause, room));
  const lines = formatColumns(
    head,
    rows.map((row, index) => [...row, texts[index] ?? '']),
  );
  const rest = all.length - alike.length;
  const command = hasNamespaces ? 'millwright stuck -A' : millwrightFor('stuck', install.namespace);
  return rest > 0 ? `${lines}\nand ${rest} more: ${command}` : lines;
}

export function nameOf({ first: { object }, count }: Alike): string {
  const { kind, name } = object;
  return `${kind}/${name}${count > 1 ? ` and ${count - 1} more` : ''}`;
}

/** In the order of the first of each. */
export function alikeOf(findings: readonly Finding[]): Alike[] {
  const byWords = new Map<string, Alike>();
  for (const finding of findings) {
    const { trouble = '', object, cause } = finding;
    const key = [trouble, object.kind, object.namespace ?? '', cause].join('\n');
    const known = byWords.get(key);
    if (known) known.count += 1;
    else byWords.set(key, { first: finding, count: 1 });
  }
  return [...byWords.values()];
}

function widthOf(head: readonly string[], rows: readonly Cell[][]): number {
  const gap = 3;
  const columns = head.slice(0, -1);
  return columns.reduce((sum, title, index) => {
    const cells = rows.map((row) => shownIn(row[index] ?? ''));
    return sum + Math.max(title.length, ...cells.map(lengthOf)) + gap;
  }, 0);
}

/** Without what changes the colour. */
function lengthOf(text: string): number {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001B\[[\d;]*m/g, '').length;
}

export const nothingStuck = ({ stops }: Install): string =>
  stops.length === 0 ? 'Nothing is stuck.' : 'Nothing else is stuck.';
