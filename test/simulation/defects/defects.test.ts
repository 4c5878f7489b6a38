/** A defect that does not fit the source, or has no test, is found here and not only at night. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { testFilesOf } from '../../run/test-files.ts';
import { defects, withDefect } from './defects.ts';

function textOf(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}

test('each defect has a name of its own', () => {
  const ids = defects.map(({ id }) => id);
  expect([...new Set(ids)]).toEqual(ids);
});

describe.each(defects)('defect $id', (defect) => {
  test('changes text that stands in its file exactly once', () => {
    const misfits = defect.edits.filter(({ file, from }) => textOf(file).split(from).length !== 2);
    expect(misfits).toEqual([]);
    const files = [...new Set(defect.edits.map(({ file }) => file))];
    const unchanged = files.filter(
      (file) => withDefect(defect, file, textOf(file)) === textOf(file),
    );
    expect(unchanged).toEqual([]);
  });

  test('names a unit test that exists', async () => {
    const files = await testFilesOf('unit', defect.tests);
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    expect(texts.filter((text) => text.includes(defect.test))).not.toEqual([]);
  });
});
