/**
 * kill -9 of the worker at every step of a scale-up and a scale-down, when the step is done and the
 * worker does not know.
 */
import { testKillAtConsole } from '../support/kill-at-console.ts';
import { testKillsAtEveryStep } from '../support/kill-every-step.ts';

describe('kill -9 of the worker after every step', () => {
  testKillsAtEveryStep('after');
});

describe('kill -9 of the worker after the steps of a machine that never joined', () => {
  testKillAtConsole('after');
});
