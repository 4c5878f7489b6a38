/** kill -9 of the worker at many moments of drains, when the step is done and the worker does not know. */
import { describe } from '@jest/globals';
import { testKillsInDrains } from './support/drain-kills.ts';

describe('kill -9 of the worker after a step of a drain', () => {
  testKillsInDrains('after');
});
