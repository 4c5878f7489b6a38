/**
 * Ways to break one line, and the unit tests that have to notice. Who changes such a line changes
 * its mutant, too.
 */
import { readFileSync } from 'node:fs';

export interface Mutant {
  id: string;
  /** What is so with the change, and must not be. */
  breaks: string;
  file: string;
  /** Stands in the file exactly once. */
  from: string;
  to: string;
  /** Regular expression for the paths of the tests. */
  tests: string;
}

export const mutants: readonly Mutant[] = JSON.parse(
  readFileSync(new URL('mutants.json', import.meta.url), 'utf8'),
);
