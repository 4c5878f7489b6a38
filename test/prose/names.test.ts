/**
 * The words of exported names. A word that is not in `vocabulary.ts` enters it with the group that
 * it is from: a new word of our own has to be in docs/glossary.md first.
 */
import { productFolders } from '../layering/rooms.ts';
import { readSource, sourcesIn } from '../layering/sources.ts';
import { vocabulary } from './vocabulary.ts';

/** Their names are those of clouds and of JSON schemas. */
const isGenerated = (path: string): boolean =>
  path.endsWith('/provider-spec.ts') || path.endsWith('/driver-contract.ts');

const exported =
  /^export (?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

const names = sourcesIn(productFolders)
  .filter((path) => !isGenerated(path))
  .flatMap((path) => [...readSource(path).matchAll(exported)].map(([, name = '']) => name));

const wordsOf = (name: string): string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

/** A word and what it may be a form of: `machines`, `deleted`, `watching`, `stopped`. */
function basesOf(word: string): string[] {
  const cut = (ending: string): string[] =>
    word.endsWith(ending) ? [word.slice(0, -ending.length)] : [];
  const stems = ['s', 'es', 'd', 'ed', 'ing', 'r', 'er'].flatMap(cut);
  const shortened = stems
    .filter((stem) => stem.at(-1) === stem.at(-2))
    .map((stem) => stem.slice(0, -1));
  const inY = stems.filter((stem) => stem.endsWith('i')).map((stem) => `${stem.slice(0, -1)}y`);
  return [word, ...stems, ...shortened, ...inY, ...cut('ing').map((stem) => `${stem}e`)];
}

const allowed = new Map(
  Object.values(vocabulary)
    .flatMap((words) => words.split(/\s+/))
    .filter((word) => word !== '')
    .map((word) => [word, 0]),
);

const unknown = new Set<string>();
for (const name of names) {
  for (const word of wordsOf(name)) {
    const base = basesOf(word).find((form) => allowed.has(form));
    if (base === undefined) unknown.add(`${word} (${name})`);
    else allowed.set(base, (allowed.get(base) ?? 0) + 1);
  }
}

test('the test of names reads the source', () => {
  expect(names.length).toBeGreaterThan(2_500);
});

test('exported names are made of words of the vocabulary', () => {
  expect([...unknown]).toEqual([]);
});

test('each word of the vocabulary is in a name', () => {
  expect([...allowed].filter(([, times]) => times === 0).map(([word]) => word)).toEqual([]);
});
