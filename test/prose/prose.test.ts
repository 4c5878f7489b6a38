import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productFolders } from '../layering/rooms.ts';
import { readSource, sourcesIn } from '../layering/sources.ts';
import { homeMadeWords } from './words.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Line {
  place: string;
  text: string;
}

/** Generated from schemas, which have their own sentences. */
const isGenerated = (path: string): boolean =>
  /\/provider-spec\.ts$|^userdata\/(config|profile)\.ts$/.test(path);

const linesOf = (folders: readonly string[]): Line[] =>
  sourcesIn(folders)
    .filter((path) => !isGenerated(path))
    .flatMap((path) =>
      readSource(path)
        .split('\n')
        .map((text, index) => ({ place: `${path}:${index + 1}`, text })),
    );

const source = linesOf(productFolders);
const sourceAndTests = [...source, ...linesOf(['test'])];

test('the prose test reads the source', () => {
  expect(source.length).toBeGreaterThan(30_000);
});

test.each(homeMadeWords)(
  '"$word" stands in at most $linesMax lines of the source; write: $instead',
  ({ word, linesMax }) => {
    const pattern = new RegExp(`\\b(?:${word})\\b`, 'i');
    const found = source.filter(({ text }) => pattern.test(text));
    const places = found.length > linesMax ? found.map(({ place }) => place) : [];
    expect(places).toEqual([]);
  },
);

test('no comment is wider than 100 columns', () => {
  const wide = sourceAndTests.filter(
    ({ text }) => text.length > 100 && /^\s*(?:\/\*\*|\*|\/\/)/.test(text),
  );
  expect(wide.map(({ place }) => place)).toEqual([]);
});

/** TypeScript files that a line of comment names; no patterns. */
function filesNamedIn(text: string): string[] {
  const comment = /^\s*(?:\/\*\*|\*|\/\/)(.*)/.exec(text)?.[1] ?? '';
  return comment.match(/(?<![\w<>$*{./-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.ts\b/g) ?? [];
}

/** By its path from the root or from here; of tests and tools by its name as well. */
function exists(named: string, { place }: Line): boolean {
  const folder = posix.dirname(place);
  const isKnown = [named, posix.join(folder, named), posix.join(folder.split('/')[0] ?? '', named)];
  if (isKnown.some((path) => existsSync(`${root}${path}`))) return true;
  return /^(?:test|tools)\//.test(place) && fileNames.has(posix.basename(named));
}

const fileNames = new Set(
  sourcesIn([...productFolders, 'test']).map((path) => posix.basename(path)),
);

test.each([
  ['// see paths.ts.', ['paths.ts']],
  [' * `watcher/index.ts`, or workflow.test.ts', ['watcher/index.ts', 'workflow.test.ts']],
  ["import { a } from './a.ts';", []],
  ['// all of *.ts and <name>.ts', []],
])('%j names %j', (text, expected) => {
  expect(filesNamedIn(text)).toEqual(expected);
});

test('no comment names a file that does not exist', () => {
  const lost = sourceAndTests.flatMap((line) =>
    filesNamedIn(line.text)
      .filter((named) => !exists(named, line))
      .map((named) => `${line.place}: ${named}`),
  );
  expect(lost).toEqual([]);
});
