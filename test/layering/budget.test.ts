/**
 * How finely the house may be cut, and how often one thing may be there
 * (docs/decisions/0055-one-library-one-shape-one-wait.md). A number that has become smaller is
 * lowered here; one that has to rise says why in the commit.
 */
import { posix } from 'node:path';
import { productFolders } from './rooms.ts';
import { readSource, sourcesIn } from './sources.ts';

/** Made from the schemas of clouds and of the API by `npm run generate`. */
const generated =
  /\/provider-spec\.ts$|^workflows\/api\/(machine(-[a-z]+)?|disruption-policy)\.ts$|driver-contract\.ts$|^userdata\/(config|profile)\.ts$/;
const files = sourcesIn(productFolders).filter((path) => !generated.test(path));
const sources = new Map(files.map((path) => [path, readSource(path)]));

/**
 * Without the folders of drivers, which have the same files with the same names, one for each
 * cloud, and a budget of their own (test/tools/drivers-cost.test.ts); and without the tables of
 * machine-controller's providers, one for each cloud as well, which are facts of both sides.
 */
const core = new Map([...sources].filter(([path]) => !isOfDriver(path) && !isOfTables(path)));

function isOfDriver(path: string): boolean {
  return /^activities\/drivers\/[a-z]+\//.test(path);
}

function isOfTables(path: string): boolean {
  return path.startsWith('activities/front/providers/');
}

function linesIn(counted: Iterable<readonly [path: string, text: string]>): number {
  return [...counted].reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0);
}

interface Declaration {
  path: string;
  name: string;
  isExported: boolean;
  lines: number;
}

/** Functions of a module. Prettier puts their ends in the first column. */
const functions: readonly Declaration[] = [...sources].flatMap(([path, text]) =>
  [
    ...text.matchAll(/^(export )?(?:async )?function\*? (\w+)[\s\S]*?^}$/gm),
    ...text.matchAll(
      /^(export )?const (\w+)[^=;]* = (?:async )?(?:<[^>]*>)?\([^;]*?\)[^=;]* =>[\s\S]*?;$/gm,
    ),
  ].map(([whole, exported, name = '']) => ({
    path,
    name,
    isExported: exported !== undefined,
    lines: whole.split('\n').length,
  })),
);

/** `file#name`: the files that import it. */
const importers = new Map<string, Set<string>>();
for (const [path, text] of sources) {
  for (const [, names = '', from = ''] of text.matchAll(
    /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g,
  )) {
    const target = posix.join(posix.dirname(path), from);
    for (const [name] of names.matchAll(/\b(?!type\b)\w+\b(?=\s*(?:,|$| as))/g)) {
      const key = `${target}#${name}`;
      importers.set(key, (importers.get(key) ?? new Set()).add(path));
    }
  }
}

const percentage = (part: number, whole: number): number => Math.round((1_000 * part) / whole) / 10;

test('the budget test reads the source', () => {
  expect(functions.length).toBeGreaterThan(2_500);
  expect(importers.size).toBeGreaterThan(2_500);
});

test('few private functions are called once and have at most six lines', () => {
  const own = functions.filter(({ isExported }) => !isExported);
  const crumbs = own.filter(({ path, name, lines }) => {
    const uses = sources.get(path)?.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
    return lines <= 6 && uses === 2;
  });
  expect(percentage(crumbs.length, own.length)).toBeLessThanOrEqual(22);
});

test('exported functions are there for more than one file', () => {
  const shared = functions.filter(({ path, isExported }) => isExported && !isOfDriver(path));
  const single = shared.filter(({ path, name }) => importers.get(`${path}#${name}`)?.size === 1);
  expect(percentage(single.length, shared.length)).toBeLessThanOrEqual(49.5);
});

test('few types have a name that is declared more than twice', () => {
  const declared = new Map<string, number>();
  for (const text of core.values()) {
    for (const [, name = ''] of text.matchAll(/^(?:export )?(?:interface|type) (\w+)/gm)) {
      declared.set(name, (declared.get(name) ?? 0) + 1);
    }
  }
  const often = [...declared].filter(([, times]) => times > 2).map(([name]) => name);
  expect(often.length > 7 ? often : []).toEqual([]);
});

test('a label is known to few files: force-deletion', () => {
  const naming = [...sources].filter(([, text]) => /force-?deletion/i.test(text));
  expect(naming.length > 10 ? naming.map(([path]) => path) : []).toEqual([]);
});

test('comments begin with what they are about', () => {
  const comments = [...sources.values()].flatMap((text) => [
    ...text.matchAll(/^\s*(?:\/\*\*|\*|\/\/) *(\S.*)$/gm),
  ]);
  const opened = comments.filter(([, text = '']) =>
    /^(?:Of|What|Whether|Who|One that)\b/.test(text),
  );
  expect(percentage(opened.length, comments.length)).toBeLessThanOrEqual(4);
});

test('the life of one machine is told in few files', () => {
  const page = readSource('docs/internals/one-machine-in-the-code.md');
  const named = new Set([...page.matchAll(/\]\(([^)#]*\.ts)\b/g)].map(([, path]) => path));
  expect(named.size).toBeLessThanOrEqual(65);
});

test('the product does not grow without end', () => {
  const own = [...core].filter(([path]) => !/^(?:deploy|tools)\//.test(path));
  expect(linesIn(own)).toBeLessThanOrEqual(92_100);
});

test('a table of a provider is short', () => {
  const tables = [...sources].filter(([path]) => isOfTables(path));
  expect(linesIn(tables)).toBeLessThanOrEqual(2_010);
});
