/** kill -9 of the worker at many moments of drains, before the step is done. */
import { describe } from '@jest/globals';
import { testKillsInDrains } from './support/drain-kills.ts';

describe('kill -9 of the worker before a step of a drain', () => {
  testKillsInDrains('before');
});
