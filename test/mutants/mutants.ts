/**
 * Ways to break one line, and the unit tests that have to notice. Who changes such a line changes
 * its mutant, too.
 */
import { readFileSync } from 'node:fs';
import type { Change } from './copy.ts';

export interface Mutant extends Change {
  id: string;
  /** What is so with the change, and must not be. */
  breaks: string;
  /** Regular expression for the paths of the tests. */
  tests: string;
}

export const mutants: readonly Mutant[] = JSON.parse(
  readFileSync(new URL('mutants.json', import.meta.url), 'utf8'),
);
