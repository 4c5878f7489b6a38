import type { notInMcm } from '../contract.ts';
import type { Trial } from '../trial.ts';

export interface Check {
  /** Claim that is checked, as a sentence in the report. */
  says: string;
  /** Left out with `--contract mcm`, for this reason. */
  wants?: keyof typeof notInMcm;
  /** Throws a `Mismatch` or a `Skipped`. */
  run(trial: Trial): Promise<void>;
}
