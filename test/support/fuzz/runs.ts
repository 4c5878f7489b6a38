/** How long and with which seed the fuzz tests run: CONTRIBUTING.md, "Fuzz for longer". */
import fc from 'fast-check';

/** Multiplies the runs of every property. Default 1. */
const factor = Number(process.env['FUZZ_FACTOR'] ?? 1);
/** The same each time, so that a change is what makes a test fail. Others are for longer runs. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

/** What `fc.assert` gets: a failure prints the seed and the path to its smallest example. */
export function runs(count: number): { numRuns: number; seed: number; verbose: boolean } {
  return { numRuns: Math.max(Math.round(count * factor), 1), seed, verbose: false };
}

/** For what is drawn outside of `fc.assert`; told to whoever reads the log, so that it can be drawn again. */
export function fuzzSeed(): number {
  return seed;
}

/** The smallest value of `arbitrary` for which `check` throws, with its seed; undefined when there is none. */
export function counterexample<T>(
  arbitrary: fc.Arbitrary<T>,
  count: number,
  check: (value: T) => void,
): string | undefined {
  return fc.defaultReportMessage(fc.check(fc.property(arbitrary, check), runs(count)));
}
