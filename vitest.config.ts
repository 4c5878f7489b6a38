/** `unit` needs no running stack; `e2e` runs on the local one (`npm test` starts it). */
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/run/sequencer.ts';

export default defineConfig({
  test: {
    // Files of a worker share the modules that they import: half of the time went into loading
    // them anew for each.
    isolate: false,
    // Unit tests wait for half of their time: four workers use two cores.
    maxWorkers: 4,
    setupFiles: ['test/support/property-seed.ts'],
    sequence: { sequencer: SlowestFirst, hooks: 'list' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/bench/**'],
          // A server start, a bundle or a retry of the SDK may take seconds on a busy machine.
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          // A guard against a test that hangs; every wait in it has a limit of its own.
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
    ],
  },
});
