/**
 * The documentation leads nowhere that does not exist, and its tables can be read in a terminal and
 * in a diff.
 */
import {
  brokenLinks,
  missingPaths,
  pagesBelow,
  textOf,
  unknownNames,
  wordsOfSource,
} from './pages.ts';

const longestTableLine = 160;
/** The table of rooms, in the form that `test/layering` compares with the rules. */
const isRoom = (line: string): boolean =>
  /^\| `(workflows|kube|activities|watcher|workers|cli|deploy|tools)\b/.test(line);
const pages = pagesBelow();

describe('the documentation', () => {
  test('has the pages that a newcomer is sent to', () => {
    expect(pages).toEqual(
      expect.arrayContaining([
        'README.md',
        'CONTRIBUTING.md',
        'docs/README.md',
        'docs/first-walk.md',
      ]),
    );
  });

  test.each(pages)('%s has no broken link', (page) => {
    expect(brokenLinks(page, textOf(page))).toEqual([]);
  });

  test.each(pages)('%s names no file that does not exist', (page) => {
    expect(missingPaths(textOf(page))).toEqual([]);
  });

  test.each(pages)('%s has no table line of more than 160 columns', (page) => {
    const tableLines = textOf(page)
      .split('\n')
      .filter((line) => line.startsWith('|') && !isRoom(line));
    expect(tableLines.filter((line) => line.length > longestTableLine)).toEqual([]);
  });
});

test('the index of decisions names every decision', () => {
  const index = textOf('docs/decisions/README.md');
  const decisions = pages.filter((page) => /^docs\/decisions\/\d/.test(page));
  expect(decisions.length).toBeGreaterThan(20);
  expect(decisions.filter((page) => !index.includes(page.replace('docs/decisions/', '')))).toEqual(
    [],
  );
});

test('commands of Helm name the namespace of the release, and bring no CRDs where only rights are wanted', () => {
  const commands = pages.flatMap((page) => {
    const text = textOf(page).replaceAll(/\\\n */g, '');
    return [...text.matchAll(/\bhelm (?:install|upgrade|rollback) millwright [^\n`]+/g)];
  });
  const lines = commands.map(([line]) => line);
  expect(lines.length).toBeGreaterThan(4);
  expect(lines.filter((line) => !/ (-n|--namespace) /.test(line))).toEqual([]);
  const ofRights = lines.filter((line) => line.includes('gardener-shoot.yaml'));
  expect(ofRights.filter((line) => !line.includes('--skip-crds'))).toEqual([]);
});

test('asks no pod for /readyz by kubectl get --raw, which keeps the text of a 503 to itself', () => {
  expect(pages.filter((page) => /get --raw \S*\/proxy\/readyz/.test(textOf(page)))).toEqual([]);
});

test('waits for the pods of processes alone: the Job of a first install has ended, and its pod stays', () => {
  const waits = pages.flatMap((page) => {
    const text = textOf(page).replaceAll(/\\\n */g, '');
    return [...text.matchAll(/\bwait pod [^\n]*name=millwright[^\n]*/g)].map(([line]) => line);
  });
  expect(waits).toHaveLength(2);
  const ofProcesses = 'app.kubernetes.io/component!=version';
  expect(waits.filter((line) => !line.includes(ofProcesses))).toEqual([]);
});

describe('a link', () => {
  const page = 'docs/page.md';
  const text = '# A `b`: c\n\n```\n# code\n```\n\n## A b c\n';

  test.each([
    ['to a file that exists', '[a](../README.md)', []],
    ['to a heading of the same page', '[a](#a-b-c)', []],
    ['to a heading that comes again', '[a](#a-b-c-1)', []],
    ['to a heading of another page', '[a](README.md#documentation)', []],
    ['to another site', '[a](https://example.com)', []],
    ['in code', '`[a](nowhere.md)`', []],
    ['to a file that does not exist', '[a](nowhere.md)', ['nowhere.md']],
    ['to a heading that does not exist', '[a](#a-b-c-2)', ['#a-b-c-2']],
    [
      'to a heading that another page does not have',
      '[a](README.md#nothing)',
      ['README.md#nothing'],
    ],
    ['to a heading that is code', '[a](#code)', ['#code']],
    ['to a missing heading, below the text', '[a][b]\n\n[b]: #nowhere', ['#nowhere']],
    ['to a missing page, on a line of its own', '[a][b]\n\n[b]:\n  nowhere.md', ['nowhere.md']],
  ])('%s: %s', (_case, link, broken) => {
    expect(brokenLinks(page, `${text}\n${link}\n`)).toEqual(broken);
  });
});

test('a path in code is missing when the repository does not have it', () => {
  const text =
    '`test/docs/pages.ts`, `workflows/plan/`, `test/docs/nowhere.ts`, `docs/decisions/NNNN-title.md`';
  expect(missingPaths(text)).toEqual(['test/docs/nowhere.ts']);
});

describe('the walk through the code', () => {
  const words = wordsOfSource();

  test('names only what the source has', () => {
    const walk = textOf('docs/internals/one-machine-in-the-code.md');
    expect(unknownNames(walk, words)).toEqual([]);
  });

  test('is checked name by name', () => {
    const text =
      '`planMachine`, `DrainPass.run`, `#perform`, `planNothing`, `DrainPass.nonesuch`, `a b`';
    expect(unknownNames(text, words)).toEqual(['planNothing', 'DrainPass.nonesuch']);
  });
});
