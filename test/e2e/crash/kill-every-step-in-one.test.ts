/**
 * kill -9 of the worker with the watcher in it, at every step of a scale-up and a scale-down, when
 * the step is done and the process does not know.
 */
import { testKillsAtEveryStep } from '../support/kill-every-step.ts';

describe('kill -9 of the worker with the watcher in it after every step', () => {
  testKillsAtEveryStep('after', { isInOne: true });
});
