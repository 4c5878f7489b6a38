import { readdirSync, readFileSync } from 'node:fs';
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
