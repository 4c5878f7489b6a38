/** The lists of the Temporal UI that docs/temporal-ui.md links to. */
import { textOf } from './pages.ts';

export interface SavedView {
  name: string;
  /** What the page says that the list is. */
  query: string;
  /** What its link asks for. */
  linked: string | undefined;
  url: URL | undefined;
}

const page = textOf('docs/temporal-ui.md');

/** In the order of the page: rows of tables, and headings of blocks. */
export function savedViews(): SavedView[] {
  const rows = page.matchAll(/^\| \[[^\]]+\]\[([\w-]+)\] +\| `([^`]+)` +\|$/gm);
  const blocks = page.matchAll(/\]\[([\w-]+)\][^\n]*:\n\n```\n([^\n]+)\n```/g);
  return [...rows, ...blocks].map(([, name = '', query = '']) => {
    const url = URL.parse(linkOf(name)) ?? undefined;
    return { name, query, linked: url?.searchParams.get('query') ?? undefined, url };
  });
}

function linkOf(name: string): string {
  // Prettier puts a long address into a line of its own.
  return new RegExp(String.raw`^\[${name}\]:\s+(\S+)$`, 'm').exec(page)?.[1] ?? '';
}

/** Definitions that the page has, used or not. */
export function definedViews(): string[] {
  return [...page.matchAll(/^\[([\w-]+)\]:\s+http/gm)].map(([, name = '']) => name);
}
