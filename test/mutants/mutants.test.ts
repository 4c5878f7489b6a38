/** A mutant that does not fit the source, or has no test, is found here and not only at night. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { testFilesOf } from '../run/test-files.ts';
import { mutants } from './mutants.ts';

test('each mutant changes text that stands in its file exactly once', () => {
  const misfits = mutants.filter(
    ({ file, from }) => readFileSync(join(repository, file), 'utf8').split(from).length !== 2,
  );
  expect(misfits.map(({ id, file }) => `${id} ${file}`)).toEqual([]);
});

test.each(mutants)('mutant $id names unit tests that exist', async ({ tests }) => {
  expect(await testFilesOf('unit', tests)).not.toEqual([]);
});
