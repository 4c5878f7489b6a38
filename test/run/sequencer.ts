/** The order of the test files: those that take longest first, so that none is alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { slowestFirst } from './slowest-first.ts';

export class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = slowestFirst(files.map((file) => ({ path: file.moduleId, file })));
    return Promise.resolve(sorted.map(({ file }) => file));
  }
}
