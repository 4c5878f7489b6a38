/** Debian's cloud-init and Ignition say of the corpus what `millwright userdata check` says. */
import { globSync, readFileSync } from 'node:fs';
import { checkUserData } from '../../../userdata/check/check.ts';
import { judges, type JudgeName } from '../../support/user-data/judges.ts';

const folder = 'test/userdata/check/corpus';

async function verdictsOf(judge: JudgeName, pattern: string) {
  const files = globSync(pattern, { cwd: folder }).toSorted();
  expect(files.length).toBeGreaterThan(0);
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8'));
  const said = await judges[judge](texts);
  return texts.map((text, index) => {
    const { faults, warnings } = checkUserData(Buffer.from(text));
    const ours = faults.length + warnings.length;
    return { file: files[index], ours: ours > 0, theirs: said[index] !== undefined };
  });
}

test.each<[JudgeName, string]>([
  ['cloud-init schema', 'cloud-config/{good,bad}/*'],
  ['ignition-validate', 'ignition/{good,bad}/*'],
])('%s agrees on %s', async (judge, pattern) => {
  const verdicts = await verdictsOf(judge, pattern);
  expect(verdicts.filter(({ ours, theirs }) => ours !== theirs)).toEqual([]);
});

test.each<[JudgeName, string]>([
  ['cloud-init schema', 'cloud-config/bad-*/*'],
  ['ignition-validate', 'ignition/bad-*/*'],
])('%s takes %s, where we see a fault', async (judge, pattern) => {
  const verdicts = await verdictsOf(judge, pattern);
  expect(verdicts.filter(({ ours, theirs }) => !ours || theirs)).toEqual([]);
});
