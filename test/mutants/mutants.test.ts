/** A mutant that does not fit the source, or has no test, is found here and not only at night. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../../deploy/local/layout.ts';
import { mutants } from './mutants.ts';

const unitTests = readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name}`)
  .filter((path) => path.endsWith('.test.ts') && !/^test\/(e2e|bench)\//.test(path));

test('each mutant changes text that stands in its file exactly once', () => {
  const misfits = mutants.filter(
    ({ file, from }) => readFileSync(join(repository, file), 'utf8').split(from).length !== 2,
  );
  expect(misfits.map(({ id, file }) => `${id} ${file}`)).toEqual([]);
});

test('each mutant names unit tests that exist', () => {
  const untested = mutants.filter(
    ({ tests }) => !unitTests.some((path) => new RegExp(tests).test(path)),
  );
  expect(untested.map(({ id, tests }) => `${id} ${tests}`)).toEqual([]);
});
