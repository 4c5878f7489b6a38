/** Tries mutants by chance, once more after a change of the tests. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Copy } from './copy.ts';
import { nearestTests, readImporters } from './nearest-tests.ts';
import type { DrawnMutant } from './random.ts';
import { failingTests, tryMutant, type Verdict } from './try.ts';

type Outcome = Verdict | 'cannot be made' | 'has no test';

interface Tried extends DrawnMutant {
  /** Of the last time. */
  verdict?: Outcome;
}

export function readDrawn(path: string): Tried[] {
  const tried: Tried[] = JSON.parse(readFileSync(path, 'utf8'));
  return tried;
}

/** The exit code: 1 if one survives that was killed the last time. */
export async function tryDrawn(mutants: readonly Tried[], results?: string): Promise<number> {
  await using copy = await Copy.make();
  const testsOf = await passingTests(copy, mutants);
  const tried: Tried[] = [];
  const lost: Tried[] = [];
  for (const mutant of mutants) {
    const verdict = await verdictOn(copy, mutant, testsOf(mutant));
    const isLost = isKilled(mutant.verdict) && !isKilled(verdict);
    if (isLost) lost.push(mutant);
    console.log(`${isLost ? 'NO LONGER KILLED, ' : ''}${verdict}: ${textOf(mutant)}`);
    tried.push({ ...mutant, verdict });
    if (results !== undefined) writeFileSync(results, `${JSON.stringify(tried, undefined, 2)}\n`);
  }
  const killed = tried.filter(({ verdict }) => isKilled(verdict));
  console.log(`\n${killed.length} of ${tried.length} mutants killed`);
  return lost.length === 0 ? 0 : 1;
}

/** Without those that fail without a mutant, which would look like killed ones. */
async function passingTests(
  copy: Copy,
  mutants: readonly Tried[],
): Promise<(mutant: Tried) => string[]> {
  const importers = await readImporters();
  const testsOf = new Map<string, string[]>();
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    testsOf.set(file, await nearestTests(file, importers));
  }
  const failing = await failingTests(copy, [...new Set([...testsOf.values()].flat())].toSorted());
  for (const path of failing) console.log(`fails without a mutant: ${path}`);
  return ({ file }) => (testsOf.get(file) ?? []).filter((path) => !failing.includes(path));
}

async function verdictOn(copy: Copy, mutant: Tried, tests: readonly string[]): Promise<Outcome> {
  if ((await copy.faultOf(mutant)) !== undefined) return 'cannot be made';
  return tests.length === 0 ? 'has no test' : tryMutant(copy, mutant, tests);
}

function isKilled(verdict: Outcome | undefined): boolean {
  return verdict === 'killed' || verdict === 'killed by the time limit';
}

function textOf({ id, breaks, file, from, to }: Tried): string {
  const changed = from.split('\n').findIndex((line, index) => line !== to.split('\n')[index]);
  return `${id} ${breaks} (${file}: ${from.split('\n')[changed]?.trim()})`;
}
