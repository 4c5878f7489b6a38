import type { Trial } from '../trial.ts';

export interface Check {
  /** Claim that is checked, as a sentence in the report. */
  says: string;
  /** Throws a `Mismatch` or a `Skipped`. */
  run(trial: Trial): Promise<void>;
}
