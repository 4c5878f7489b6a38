/**
 * The activities about instances that somebody else deleted in the cloud.
 * A part of `kube-activities.ts`, which hands it on.
 */
import type { ObjectReference } from './references.ts';
import type { Instance, MachineFailure } from '../plan/machine/facts.ts';

/** Which driver is to be asked; a class that could not be read may be there by now. */
export type ProviderOutcome =
  | { found: true; provider: string; hasExternalDriver?: true }
  | { found: false; failure: MachineFailure };

/** Result of a second check of a machine without a Node, whose instance is gone. */
export type LossOutcome =
  { found: 'nothing' } | { found: 'lost' } /** Not now. */ | { found: 'held'; reason: string };

export interface LossActivities {
  /**
   * Marks a machine without a Node as Failed because its instance is gone, if it may be replaced
   * now.
   */
  recordMissingInstance(input: {
    machine: ObjectReference;
    instance: Instance;
  }): Promise<LossOutcome>;
}
