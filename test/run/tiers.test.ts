import { siblings } from './nightly.ts';
import { testFilesOf } from './test-files.ts';
import { leftOut, patientUnits, runsIn, tierOf, tiers, walk } from './tiers.ts';

const endToEnd = await testFilesOf('e2e');
const units = await testFilesOf('unit');

test.each(walk)('%s, which npm test walks, is there and is none of the night', (name) => {
  expect(endToEnd.filter((path) => path.endsWith(`/${name}.test.ts`))).toHaveLength(1);
  expect(siblings).not.toHaveProperty(name);
});

test.each(patientUnits)('unit tests at %s are there', (start) => {
  expect(units.filter((path) => path.includes(`/${start}`))).not.toEqual([]);
});

test('each file runs in some tier, and npm run test:all runs them all', () => {
  expect([...endToEnd, ...units].filter((path) => !runsIn(path, 'all'))).toEqual([]);
});

test('npm run test:e2e runs all end-to-end files but those of the night, and no quick unit tests', () => {
  const chosen = [...endToEnd, ...units].filter((path) => runsIn(path, 'e2e'));
  expect(chosen).toEqual([
    ...endToEnd.filter((path) => tierOf(path) !== 'all'),
    ...units.filter((path) => tierOf(path) === 'e2e'),
  ]);
});

test('what a tier leaves out is counted by the command that runs it', () => {
  expect(tiers.map((tier) => leftOut([...endToEnd, ...units], tier))).toEqual([
    [
      expect.stringMatching(/^npm run test:e2e: \d+ end-to-end files and \d+ files of unit tests$/),
      expect.stringMatching(/^npm run test:all: \d+ end-to-end files$/),
    ],
    [
      expect.stringMatching(/^npm test: \d+ files of unit tests$/),
      expect.stringMatching(/^npm run test:all: \d+ end-to-end files$/),
    ],
    [],
  ]);
});
