/** A mutant that does not fit the source, or has no test, is found here and not only at night. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { repository } from '../../deploy/local/layout.ts';
import { testFilesOf } from '../run/test-files.ts';
import { mutants } from './mutants.ts';
import { drawMutants, drawnFolders } from './random.ts';

test('each mutant changes text that stands in its file exactly once', () => {
  const misfits = mutants.filter(
    ({ file, from }) => readFileSync(join(repository, file), 'utf8').split(from).length !== 2,
  );
  expect(misfits.map(({ id, file }) => `${id} ${file}`)).toEqual([]);
});

test.each(mutants)('mutant $id names unit tests that exist', async ({ tests }) => {
  expect(await testFilesOf('unit', tests)).not.toEqual([]);
});

test('mutants by chance are sources that can be read, and the same ones each time', () => {
  const draw = { count: 100, seed: 1, folders: drawnFolders };
  const drawn = drawMutants(draw);
  for (const { file, from, to } of drawn) {
    const source = readFileSync(join(repository, file), 'utf8');
    parseAst(
      source.replace(from, () => to),
      { lang: 'ts' },
    );
  }
  expect(drawMutants(draw)).toEqual(drawn);
});
