/** The Markdown pages of the repository, and where their links lead. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';

/** Folders that hold pages of others, or of a running stack. */
const foreign = new Set(['node_modules', '.git', '.millwright']);

/** Paths from the root of the repository. */
export function pagesBelow(folder = repository): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return foreign.has(entry.name) ? [] : pagesBelow(path);
    return entry.name.endsWith('.md') ? [relative(repository, path)] : [];
  });
}

export function textOf(page: string): string {
  return readFileSync(join(repository, page), 'utf8');
}

/** Code shows links and headings that are none. */
function withoutCode(text: string): string {
  return text
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, ''));
}

/**
 * Anchors as GitHub makes them: lower case, punctuation left out, a number where a heading comes
 * again.
 */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.replace(/\]\([^)]*\)/g, '').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    let name = anchor;
    for (let again = 1; anchors.has(name); again += 1) name = `${anchor}-${again}`;
    anchors.add(name);
  }
  return anchors;
}

/**
 * Relative links of a page that lead to no file, or to no heading. Links to other sites are left
 * alone.
 */
export function brokenLinks(page: string, text: string): string[] {
  const plain = withoutCode(text);
  const inText = plain.matchAll(/\]\(([^)\s]+)\)/g);
  const below = plain.matchAll(/^\[[^\]\n]+\]:\s+(\S+)/gm);
  const links = [...inText, ...below].map(([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, text, link));
}

function leadsSomewhere(page: string, text: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? undefined : resolve(repository, dirname(page), file);
  if (path !== undefined && !existsSync(path)) return false;
  if (anchor === undefined || (path !== undefined && !path.endsWith('.md'))) return true;
  return anchorsOf(
    path === undefined || statSync(path).isDirectory() ? text : readFileSync(path, 'utf8'),
  ).has(anchor);
}

const folders = [
  'workflows',
  'activities',
  'watcher',
  'workers',
  'cli',
  'deploy',
  'test',
  'tools',
  'docs',
];
const pathInCode = new RegExp(`\`((?:${folders.join('|')})/[\\w./-]*)\``, 'g');

/**
 * Files and folders of this repository that a page names as code, and that do not exist. Patterns
 * (`*`, `NNNN`) are left alone.
 */
export function missingPaths(text: string): string[] {
  const paths = [...text.matchAll(pathInCode)].map(([, path = '']) => path);
  return paths.filter((path) => !/NNNN/.test(path) && !existsSync(join(repository, path)));
}

const sourceFolders = ['workflows', 'kube', 'activities', 'watcher', 'workers'];

/** Words of the hand-written source of the processes. */
export function wordsOfSource(): ReadonlySet<string> {
  const words = new Set<string>();
  for (const folder of sourceFolders) {
    const names = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => one.endsWith('.ts'))) {
      const text = readFileSync(join(repository, folder, name), 'utf8');
      for (const word of text.match(/\w+/g) ?? []) words.add(word);
    }
  }
  return words;
}

/**
 * Names in code spans, such as `planMachine` or `DrainPass.run`, that no file of the source has.
 */
export function unknownNames(text: string, words: ReadonlySet<string>): string[] {
  const spans = [...text.matchAll(/`#?([A-Za-z]+(?:\.[A-Za-z]+)*)`/g)].map(([, name = '']) => name);
  return [...new Set(spans)].filter((name) => !name.split('.').every((part) => words.has(part)));
}
