/** `npm run mutants`: breaks one line at a time and looks whether a unit test notices. */
import { parseArgs } from 'node:util';
import { Copy } from './copy.ts';
import { mutants, type Mutant } from './mutants.ts';
import { drawMutants, drawnFolders } from './random.ts';
import { readDrawn, tryDrawn } from './try-drawn.ts';
import { testsOf, testsPass, tryMutant } from './try.ts';

const usage = `Usage: npm run mutants -- [options]

Changes one line in a copy of the repository, runs the unit tests that belong to it, and says whether one of them failed. A
mutant that no test sees is a gap in the tests. Takes an hour or so. Exit code 1: a mutant survived; 2: one cannot be made.

  --only ID,ID    only these
  --random N      instead, N mutants by chance, each with the unit tests that reach its file most directly
  --seed N        other ones (1)
  --in FOLDER     only of this folder
  --again FILE    instead, the mutants of these results; exit code 1: one that was killed survives
  --results FILE  writes the mutants of --random or --again, and what became of them
  --help          show this`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string' },
    again: { type: 'string' },
    results: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await (drawn() ?? run(wanted(values.only)));

function drawn(): Promise<number> | undefined {
  const { random, seed, again, results } = values;
  if (again !== undefined) return tryDrawn(readDrawn(again), results);
  if (random === undefined) return undefined;
  const folders = values.in === undefined ? drawnFolders : [values.in];
  return tryDrawn(drawMutants({ count: Number(random), seed: Number(seed), folders }), results);
}

function wanted(only: string | undefined): readonly Mutant[] {
  if (only === undefined) return mutants;
  const ids = new Set(only.split(','));
  return mutants.filter(({ id }) => ids.has(id));
}

async function run(chosen: readonly Mutant[]): Promise<number> {
  await using copy = await Copy.make();
  const faults = await faultsOf(copy, chosen);
  if (chosen.length === 0 || faults.length > 0) {
    console.error(['no mutant can be tried', ...faults].join('\n'));
    return 2;
  }
  const survivors: Mutant[] = [];
  for (const mutant of chosen) {
    const verdict = await tryMutant(copy, mutant, await testsOf(mutant.tests));
    console.log(`${verdict}: ${textOf(mutant)}`);
    if (verdict === 'survived') survivors.push(mutant);
  }
  console.log(`\n${chosen.length - survivors.length} of ${chosen.length} mutants killed`);
  for (const mutant of survivors) console.log(`survived: ${textOf(mutant)}`);
  return survivors.length === 0 ? 0 : 1;
}

/**
 * Mutants that do not fit the code any more, and tests that fail without a mutant: both would look
 * like killed ones.
 */
async function faultsOf(copy: Copy, chosen: readonly Mutant[]): Promise<string[]> {
  const found = await Promise.all(chosen.map((mutant) => copy.faultOf(mutant)));
  const misfits = found.filter((fault) => fault !== undefined);
  if (misfits.length > 0) return misfits;
  const failing: string[] = [];
  for (const pattern of new Set(chosen.map(({ tests }) => tests))) {
    if ((await testsPass(copy, await testsOf(pattern))) !== true)
      failing.push(`${pattern}: these tests fail without a mutant`);
  }
  return failing;
}

function textOf({ id, breaks, file }: Mutant): string {
  return `${id} ${breaks} (${file})`;
}
