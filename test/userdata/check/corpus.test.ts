/** The corpus is judged as its folders say; e2e tests ask cloud-init and Ignition the same. */
import { globSync, readFileSync } from 'node:fs';
import { checkUserData } from '../../../userdata/check/check.ts';

const folder = 'test/userdata/check/corpus';
const files = globSync('*/*/*', { cwd: folder }).toSorted();

test('the corpus is there', () => {
  expect(files.length).toBeGreaterThan(100);
});

test.each(files)('%s', (file) => {
  const { faults } = checkUserData(readFileSync(`${folder}/${file}`));
  expect(faults.length === 0 ? 'good' : 'bad').toBe(file.includes('/good/') ? 'good' : 'bad');
});
