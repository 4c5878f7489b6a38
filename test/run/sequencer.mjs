/**
 * The order of the test files: those that take longest first, so that none of them is alone at the end. By itself jest knows
 * how long a file takes only where it has run before, and goes by the size of the files elsewhere.
 */
import Sequencer from '@jest/test-sequencer';
import { slowestFirst } from './slowest-first.ts';

export default class SlowestFirst extends Sequencer {
  sort(tests) {
    return slowestFirst(super.sort(tests));
  }
}
