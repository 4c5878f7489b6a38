/** The rooms of the source, and what each may import: the table in docs/internals/rooms.md. */
import { readSource } from './sources.ts';

export interface Room {
  folder: string;
  /** Rooms, or single files without `.ts`. Files of the same room may import each other. */
  imports: readonly string[];
  packages: readonly string[];
}

const rows = readSource('docs/internals/rooms.md').matchAll(
  /^\| `([a-z/-]+)\/` \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm,
);
const table = [...rows].map(([, folder = '', imports = '', packages = '']) => ({
  folder,
  imports: listed(imports),
  packages: listed(packages),
}));

/** Lower rooms first. */
export const rooms: readonly Room[] = table.map((row) => ({
  ...row,
  imports: row.imports.map((entry) => wholeName(entry, row.folder)),
}));

/** Folders at the top: all code of the product. */
export const productFolders: readonly string[] = [
  ...new Set(rooms.map(({ folder }) => folder.split('/')[0] ?? '')),
];

function listed(cell: string): string[] {
  return /^no(ne|thing)$/.test(cell) ? [] : cell.split(', ');
}

/** Those of `workflows/` and of the same folder are named without that folder. */
function wholeName(entry: string, folder: string): string {
  const [top = ''] = folder.split('/');
  const [first] = entry.split('/');
  if (table.some((row) => row.folder.split('/')[0] === first)) return entry;
  const isOwn = table.some((row) => row.folder === `${top}/${entry}`);
  return `${isOwn ? top : 'workflows'}/${entry}`;
}
