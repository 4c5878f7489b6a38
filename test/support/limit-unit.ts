import { jest } from '@jest/globals';

/** A server start, a bundle or a retry of the SDK may take seconds on a busy machine. */
jest.setTimeout(20_000);
