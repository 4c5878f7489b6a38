/** A tree as lines. Node and instance stand in the line of their machine, unless it is wide. */
import { ageSince } from '../terminal/age.ts';
import { formatColumns } from '../terminal/columns.ts';
import { clipLine, oneLine, screenWidth } from '../terminal/screen.ts';
import type { Branch } from './branches.ts';

interface Look {
  now: number;
  isWide: boolean;
  /** The terminal shows lines; else ASCII. */
  hasLines: boolean;
}

export function formatTree(root: Branch, look: Look): string {
  const head = ['NAME', 'STATE', 'AGE', 'NODE', ...(look.isWide ? ['INSTANCE'] : []), 'WAITS FOR'];
  return formatColumns(head, rowsOf(root, { look, own: '', below: '' }));
}

interface Prefix {
  look: Look;
  /** Before its name, and before the names of what it is made of. */
  own: string;
  below: string;
}

function rowsOf(branch: Branch, { look, own, below }: Prefix): string[][] {
  const parts = branch.branches.filter(({ kind }) => kind !== 'node' && kind !== 'instance');
  const [middle, last, line] = look.hasLines ? ['├─ ', '└─ ', '│  '] : ['|- ', '`- ', '|  '];
  return [
    rowOf(branch, { look, own, below }),
    ...parts.flatMap((part, index) => {
      const isLast = index === parts.length - 1;
      return rowsOf(part, {
        look,
        own: `${below}${isLast ? last : middle}`,
        below: `${below}${isLast ? '   ' : line}`,
      });
    }),
  ];
}

function rowOf(branch: Branch, { look, own }: Prefix): string[] {
  const { kind, name, state = '', since, branches } = branch;
  const node = branches.find((part) => part.kind === 'node');
  const instance = branches.find((part) => part.kind === 'instance');
  return [
    `${own}${kind}/${name}`,
    state,
    ageSince(since, look.now),
    node ? `${node.name} ${node.state ?? ''}`.trim() : '-',
    ...(look.isWide ? [instance?.name ?? '-'] : []),
    wordsOf(branch, look),
  ];
}

/** The name of its trouble goes before what it waits for. */
function wordsOf({ findings, waits = '-' }: Branch, { isWide }: Look): string {
  const [worst] = findings;
  if (!worst) return waits;
  const text = worst.trouble === undefined ? worst.cause : `${worst.trouble}: ${worst.cause}`;
  return isWide || screenWidth() === undefined ? oneLine(text) : clipLine(text, 60);
}
