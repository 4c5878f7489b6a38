/** What the process that hands out seeds and those that run them say to each other. */
import type { SeedResult } from './seed-result.ts';
import type { Setup } from './simulator.ts';

/** The only argument of a process that runs seeds, as JSON. */
export interface RunnerOptions {
  /** URL of the module with the simulated world. */
  module: string;
  /** For failures. */
  folder: string;
}

export interface Order {
  setup: Setup;
  isShrinking: boolean;
}

export type Answer = { kind: 'progress'; what: string } | { kind: 'result'; result: SeedResult };
