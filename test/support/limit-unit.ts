import { jest } from '@jest/globals';
import fc from 'fast-check';
import { testSeed } from './seed.ts';

/** A server start, a bundle or a retry of the SDK may take seconds on a busy machine. */
jest.setTimeout(90_000);
/** Of every property: a test turns red because the code changed, and not because of its luck. */
fc.configureGlobal({ seed: testSeed() });
