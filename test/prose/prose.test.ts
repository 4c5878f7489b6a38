import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeMadeWords } from './words.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = ['workflows', 'kube', 'activities', 'watcher', 'workers', 'cli', 'deploy', 'tools'];

interface Line {
  place: string;
  text: string;
}

/** Generated from the schemas of clouds, which have their own sentences. */
const isGenerated = (path: string): boolean => path.endsWith('/provider-spec.ts');

function linesOf(folder: string): Line[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !isGenerated(name))
    .map((name) => `${folder}/${name}`)
    .flatMap((path) =>
      readFileSync(`${root}${path}`, 'utf8')
        .split('\n')
        .map((text, index) => ({ place: `${path}:${index + 1}`, text })),
    );
}

const source = sources.flatMap(linesOf);

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
  const wide = [...source, ...linesOf('test')].filter(
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
  [...sources, 'test'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((path) =>
      posix.basename(path),
    ),
  ),
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
  const lost = [...source, ...linesOf('test')].flatMap((line) =>
    filesNamedIn(line.text)
      .filter((named) => !exists(named, line))
      .map((named) => `${line.place}: ${named}`),
  );
  expect(lost).toEqual([]);
});
