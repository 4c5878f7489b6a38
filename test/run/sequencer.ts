/** The order of the test files: those that take longest first, so that none is alone at the end. */
import { slowestFirst } from './slowest-first.ts';

/** Of Jest's, what is of interest here. */
interface Test {
  path: string;
}

/** As Jest asks for it; only the order is of interest here. */
export default class SlowestFirst {
  sort(tests: Test[]): Test[] {
    return slowestFirst(tests);
  }

  allFailedTests(tests: Test[]): Test[] {
    return tests;
  }

  shard(tests: Test[]): Test[] {
    return tests;
  }

  cacheResults(): void {}
}
