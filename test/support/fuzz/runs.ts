/** How long the fuzz tests run: docs/internals/how-to.md, "Fuzz for longer". */
import fc from 'fast-check';

/** Multiplies the runs of every property. Default 1. */
const factor = Number(process.env['FUZZ_FACTOR'] ?? 1);

/**
 * What `fc.assert` and `fc.sample` get. A property that fails prints the seed and the path to its
 * smallest example.
 */
export function runs(count: number): { numRuns: number } {
  return { numRuns: Math.max(Math.round(count * factor), 1) };
}

/**
 * The smallest value of `arbitrary` for which `check` throws, with its seed; undefined when there
 * is none.
 */
export function counterexample<T>(
  arbitrary: fc.Arbitrary<T>,
  count: number,
  check: (value: T) => void,
): string | undefined {
  return fc.defaultReportMessage(fc.check(fc.property(arbitrary, check), runs(count)));
}
