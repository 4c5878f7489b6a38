/** `unit` needs no running stack; `e2e` runs on the local one (`npm test` starts it). */
const shared = {
  testEnvironment: 'node',
  // The files of a running stack: etcd has `.snap` files of its own.
  modulePathIgnorePatterns: ['<rootDir>/.millwright/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript' },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
};

export default {
  // Histories, bundles and child processes need memory: two workers fit a small machine.
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/run/sequencer.mjs',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      setupFilesAfterEnv: ['<rootDir>/test/support/limit-unit.ts'],
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|bench)/'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/support/limit-e2e.ts'],
    },
  ],
};
