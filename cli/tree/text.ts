/** A tree as lines. Node and instance stand in the line of their machine, unless it is wide. */
import { ageSince } from '../terminal/age.ts';
import { formatColumns } from '../terminal/columns.ts';
import { clipLine, oneLine, screenWidth } from '../terminal/screen.ts';
import type { Branch } from './branches.ts';

interface TreeView {
  now: number;
  isWide: boolean;
  /** The terminal shows lines; else ASCII. */
  hasLines: boolean;
}

export function formatTree(root: Branch, view: TreeView): string {
  const head = ['NAME', 'STATE', 'AGE', 'NODE', ...(view.isWide ? ['INSTANCE'] : []), 'WAITS FOR'];
  return formatColumns(head, rowsOf(root, { view, own: '', below: '' }));
}

interface Prefix {
  view: TreeView;
  /** Before its name, and before the names of what it is made of. */
  own: string;
  below: string;
}

function rowsOf(branch: Branch, { view, own, below }: Prefix): string[][] {
  const parts = branch.branches.filter(({ kind }) => kind !== 'node' && kind !== 'instance');
  const [middle, last, line] = view.hasLines ? ['├─ ', '└─ ', '│  '] : ['|- ', '`- ', '|  '];
  return [
    rowOf(branch, { view, own, below }),
    ...parts.flatMap((part, index) => {
      const isLast = index === parts.length - 1;
      return rowsOf(part, {
        view,
        own: `${below}${isLast ? last : middle}`,
        below: `${below}${isLast ? '   ' : line}`,
      });
    }),
  ];
}

function rowOf(branch: Branch, { view, own }: Prefix): string[] {
  const { kind, name, state = '', since, branches } = branch;
  const node = branches.find((part) => part.kind === 'node');
  const instance = branches.find((part) => part.kind === 'instance');
  return [
    `${own}${kind}/${name}`,
    state,
    ageSince(since, view.now),
    node ? `${node.name} ${node.state ?? ''}`.trim() : '-',
    ...(view.isWide ? [instance?.name ?? '-'] : []),
    waitsOf(branch, view),
  ];
}

/** The name of its trouble goes before what it waits for. */
function waitsOf({ findings, waits = '-' }: Branch, { isWide }: TreeView): string {
  const [worst] = findings;
  if (!worst) return waits;
  const text = worst.trouble === undefined ? worst.cause : `${worst.trouble}: ${worst.cause}`;
  return isWide || screenWidth() === undefined ? oneLine(text) : clipLine(text, 60);
}
