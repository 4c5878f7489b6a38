/**
 * No test decides by a clock: a busy machine makes tests slower, and not red. Waits are for
 * conditions (`eventually`), and where a time limit of the product is the subject, its clock is the
 * test's (`HandSystem`, `fakeClock`, the server that skips time).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../', import.meta.url));

/** Reads a clock, or waits for one. A time as a mere value, as of a fixture, is `Date.now()`. */
const readsClock =
  /\bperformance\.now\b|\bprocess\.hrtime\b|\bAbortSignal\.timeout\b|(?<![.\w])setTimeout\(/;
const judgesTime =
  /expect\(.*Date\.now\(\).*\.toBeLess|(?<!=)[<>]=? .*Date\.now\(\)|Date\.now\(\).* [<>]=? /;

/** Measure, or find out how long something takes: no part of `npm test`. */
const measure = /^(?:bench|chaos)\//;

const exceptions: Readonly<Record<string, string>> = {
  'activities/drivers/gcp/pending.test.ts': 'rests while the double answers; the clock is a hand',
  'e2e/gardener/gardener.test.ts': 'kills as kubelet does, after the grace period of the pod',
  'e2e/machine/preservation-ends.test.ts':
    'before the end that a preservation had, ten minutes away',
  'e2e/support/operator.ts': 'kills after ten minutes what does not end',
  'kube/leases/election.test.ts': 'nobody leads too early, however long it takes',
  'live/run.ts': 'what a run in a real cloud may cost',
  'mutants/try.ts': 'a mutant may wait for ever',
  'run/hang-guard.ts': 'the guard of all test files',
  'run/report.ts': 'says how long the parts took',
  'support/eventually.ts': 'the guard of all waits',
  'support/workflow-bundle.ts': 'removes bundles of yesterday',
  'workflows/machine-set/workflow.test.ts': 'an activity that ends when a back-off is over',
};

function isTimed(file: string): boolean {
  const lines = readFileSync(`${folder}${file}`, 'utf8').split('\n');
  return lines.some((line) => readsClock.test(line) || judgesTime.test(line));
}

test('only these files read a clock for more than a value', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !measure.test(file) && !file.endsWith('clocks.test.ts'),
  );
  expect(files.filter(isTimed).toSorted()).toEqual(Object.keys(exceptions));
});
