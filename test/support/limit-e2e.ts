import { jest } from '@jest/globals';
import fc from 'fast-check';
import { testSeed } from './seed.ts';

jest.setTimeout(1_200_000);
fc.configureGlobal({ seed: testSeed() });
