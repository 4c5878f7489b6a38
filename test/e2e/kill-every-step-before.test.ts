/** kill -9 of the worker at every step of a scale-up and a scale-down, before the step is done. */
import { describe } from '@jest/globals';
import { testKillsAtEveryStep } from './support/kill-every-step.ts';

describe('kill -9 of the worker before every step', () => {
  testKillsAtEveryStep('before');
});
