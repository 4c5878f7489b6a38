/**
 * The part of the port that says what is wrong with a MachineClass; a part of `kube-activities.ts`,
 * which hands it on.
 */
import type { NamespacedName } from './references.ts';

export type ReadClassOutcome =
  | { found: false }
  /** `hasDriver`: a worker serves the queue of its provider, which may be empty. */
  | { found: true; provider: string; hasDriver: boolean };

/**
 * They write the annotations `millwright.dev/invalid` and `millwright.dev/ignored-keys`, with an
 * Event for each change.
 */
export interface ClassActivities {
  readMachineClass(input: { ref: NamespacedName }): Promise<ReadClassOutcome>;
  /**
   * `faults`: of the provider spec, as its driver says; what is wrong with the rest is found here.
   * `isEdited`: class or Secrets are others than those that a cloud may have refused. `warnings`:
   * keys of the provider spec that its driver ignores; default none.
   */
  reportClass(input: {
    ref: NamespacedName;
    faults: string[];
    warnings?: string[];
    isEdited: boolean;
  }): Promise<void>;
  /** A cloud took the credentials that it had refused. */
  reportAcceptance(input: { ref: NamespacedName }): Promise<void>;
}
