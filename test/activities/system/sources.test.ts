/**
 * Lint rules refuse all sources of time and randomness but those of `activities/system`, except the
 * present time by `Date()` and `new Date()`, which no rule can refuse.
 */
import { readSource, sourcesIn } from '../../layering/sources.ts';

const folders = ['activities', 'kube', 'watcher', 'workers', 'test/simulation'];
/** Also the whole module, from which one may take what no rule sees. */
const source = /\bDate\(\)|\bimport (\w+|\* as \w+) from 'node:crypto'/;

/** Workflow code has the time of its history. */
const workflowCode = 'test/simulation/differential/temporal/workflows.ts';

const files = sourcesIn(folders).filter((name) => name !== workflowCode);

function foundIn(file: string): string[] {
  const lines = readSource(file).split('\n');
  return lines.flatMap((line, index) =>
    source.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
  );
}

test.each([
  'const at = new Date();',
  'const text = Date();',
  "import crypto from 'node:crypto';",
  "import * as crypto from 'node:crypto';",
])('%s is a source of its own', (line) => {
  expect(line).toMatch(source);
});

test.each(['new Date(nowMs())', 'Date.parse(text)', "import { hash } from 'node:crypto';"])(
  '%s is none',
  (line) => {
    expect(line).not.toMatch(source);
  },
);

test('time and randomness come from activities/system', () => {
  expect(files.length).toBeGreaterThan(250);
  expect(files.flatMap(foundIn)).toEqual([]);
});
