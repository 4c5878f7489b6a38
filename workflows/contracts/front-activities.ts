/** What the workflow of a mirrored MachineDeployment asks of the front's process. */
import type { NamespacedName } from './references.ts';

export interface FrontActivities {
  /** One pass: reads both sides and writes what differs. Can run twice. */
  syncPool(input: PassInput): Promise<SyncOutcome>;
}

export interface PassInput {
  ref: NamespacedName;
  /** Read all Nodes, and not only those that something shows to be needed. */
  readsNodes?: boolean;
}

export interface SyncOutcome {
  /**
   * `gone`: their MachineDeployment is, and everything that was made for it. `notServed`: it is
   * another's, `reason` says whose. `waits`: something is to come that no signal may report.
   */
  state: 'current' | 'waits' | 'notServed' | 'gone';
  /** A sentence, for people: status, summary in the Temporal UI. */
  reason?: string;
  /** UID of their MachineDeployment. */
  uid?: string;
  /** Writes of this pass. */
  writes: number;
  /** Machines of ours, for the page in the Temporal UI. */
  machines: number;
}
