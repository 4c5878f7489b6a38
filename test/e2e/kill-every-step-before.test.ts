/**
 * kill -9 of the worker at a scale-up and a scale-down, before every step that makes or deletes
 * something.
 */
import { describe } from 'vitest';
import { testKillsAtEveryStep } from './support/kill-every-step.ts';

describe('kill -9 of the worker before every step that makes or deletes something', () => {
  testKillsAtEveryStep('before');
});
