/**
 * kill -9 of the worker at a scale-up and a scale-down, before every step that makes or deletes
 * something.
 */
import { testKillAtConsole } from '../support/kill-at-console.ts';
import { testKillsAtEveryStep } from '../support/kill-every-step.ts';

describe('kill -9 of the worker before every step that makes or deletes something', () => {
  testKillsAtEveryStep('before');
});

describe('kill -9 of the worker before the steps of a machine that never joined', () => {
  testKillAtConsole('before');
});
