/** `npm test` runs Jest by test/run/jest.ts; `npx jest PATTERN` runs single files for a debugger. */
import type { Config } from 'jest';

const config: Config = {
  // Without Jest's contexts: the files of a worker process share the modules that they import, and
  // Node runs our TypeScript as it is.
  runner: '<rootDir>/test/run/light-runner.ts',
  transform: {},
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['<rootDir>/test/bench/'],
  setupFilesAfterEnv: ['<rootDir>/test/run/jest-setup.ts'],
  testSequencer: '<rootDir>/test/run/sequencer.ts',
  reporters: ['<rootDir>/test/run/reporter.ts'],
  // Unit tests wait for half of their time: six workers use two cores.
  maxWorkers: 6,
  haste: { forceNodeFilesystemAPI: true },
  watchman: false,
  // Servers of a failed test may be left.
  forceExit: true,
};

export default config;
