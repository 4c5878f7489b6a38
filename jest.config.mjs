/** `unit` needs no running stack; `e2e` runs on the local one (`npm test` starts it). */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      },
    ],
  },
};

export default {
  // Histories, bundles and child processes need memory: two workers fit a small machine.
  maxWorkers: 2,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testTimeout: 20_000,
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|chaos|bench)/'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      testTimeout: 300_000,
    },
  ],
};
