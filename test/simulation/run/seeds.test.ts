/** Seeds that found a defect once: none of them may break a rule again. */
import {
  changesOf,
  hashesOfKept,
  keptSeedFiles,
  manifestOfKept,
  setupIn,
  textOfKept,
} from './seed-files.ts';
import { loadSimulator } from './simulator.ts';

const { simulate, faultNames, userNames } = await loadSimulator();
const kinds = { faults: faultNames, users: userNames };

test.each(keptSeedFiles())('%s breaks no rule', async (name) => {
  const { violations } = await simulate(setupIn(JSON.parse(textOfKept(name)), kinds));
  expect(violations.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([]);
});

test('the seeds are those of the manifest, unchanged', () => {
  expect(changesOf(hashesOfKept(), manifestOfKept())).toEqual([]);
});
