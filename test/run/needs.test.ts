import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { needsOf, needsOfFiles } from './needs.ts';
import { runsOn } from './temporal-kinds.ts';
import { testFilesOf } from './test-files.ts';

/** Those of the step that installs and builds do so. */
const ofPrepare = /\/test\/(deploy\/local\/(binaries|debian|prepare)|run\/needs)\.test\.ts$/;
const files = [...(await testFilesOf('unit')), ...(await testFilesOf('e2e'))].filter(
  (file) => !ofPrepare.test(file),
);
/** Asked for by night only, which gets everything. */
const ofNight = ['helm3'];

const isOfTests = (file: string): boolean => file.startsWith(join(repository, 'test/'));

interface Source {
  imports: readonly string[];
  /** Names of prepared things. */
  asksFor: readonly string[];
  installs: boolean;
}

const sources = new Map<string, Source>();

function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const imports = text.matchAll(/^(?:import|export) (?!type )[^;]*?'(\.[^']+\.ts)';/gm);
  const asked = text.matchAll(/prepared(?:Binary|Python|Debian)\('([^']+)'/g);
  const source = {
    imports: [...imports].map(([, path = '']) => join(dirname(file), path)),
    asksFor: [...asked].map(([, name = '']) => name),
    installs: file.endsWith('/prepare/prepare.ts') || (isOfTests(file) && text.includes("'pip'")),
  };
  sources.set(file, source);
  return source;
}

/** A test file, and all of our tests that it imports, and what these import directly. */
function reachOf(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  if (isOfTests(file)) for (const path of sourceOf(file).imports) reachOf(path, reached);
  return reached;
}

const reaches = files.map((file) => ({ file, reach: [...reachOf(file)].map(sourceOf) }));

test('what a test file asks for is got before it runs', () => {
  const missing = reaches.flatMap(({ file, reach }) => {
    const needs = needsOf([file], runsOn(file, 'development') ? 'development' : 'postgresql');
    return reach
      .flatMap(({ asksFor }) => asksFor)
      .filter((name) => ![...needs, ...ofNight].includes(name))
      .map((name) => `${file} asks for ${name}`);
  });
  expect(missing).toEqual([]);
});

test('each entry of the table is of a test file', () => {
  const starts = Object.keys(needsOfFiles).map((start) => join(repository, start));
  const unused = starts.filter((start) => !files.some((file) => file.startsWith(start)));
  expect(unused).toEqual([]);
});

test('no test installs or builds anything', () => {
  const wrong = reaches.filter(({ reach }) => reach.some(({ installs }) => installs));
  expect(wrong.map(({ file }) => file)).toEqual([]);
});
