/** What is known of a seed that has run. It crosses from a process to another, as JSON. */
import type { Setup } from './simulator.ts';

export interface SeedResult {
  setup: Setup;
  lives: number;
  events: number;
  simulatedMs: number;
  /** Of its timeline: another run of the setup has the same one, or something is not by seed. */
  fingerprint: string;
  /** Of the run itself. */
  cpuSeconds: number;
  /** Of all runs that shrinking took. */
  shrinkCpuSeconds: number;
  /** Of all rules. */
  violations: number;
  /** Undefined: no rule was broken. */
  failure?: Failure | undefined;
}

export interface Failure {
  rule: string;
  text: string;
  /** The smallest setup that was found. */
  setup: Setup;
  /** For people. */
  report: string;
  /** For `--replay`; undefined: the process died, and nothing was written. */
  file?: string | undefined;
}
