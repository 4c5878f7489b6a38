/** Temporal, and the watcher's way to signal, for the check of entities; `workers/` joins them. */
import type { WorkflowRef } from '../../workflows/plan/safety/lost-workflows.ts';
import type { MissingInstance } from '../../workflows/contracts/snapshots.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { KubeObject } from '../../kube/client/client.ts';

/** An object as it was read just now, and for a Machine its MachineSet and its Node. */
export type Living =
  | {
      kind: 'machine';
      object: Machine;
      set?: MachineSet;
      node?: KubeObject;
      /** It could not be read: that there is no `node` says nothing. */
      isNodeUnknown?: true;
    }
  | { kind: 'machineSet'; object: MachineSet }
  | { kind: 'machineDeployment'; object: MachineDeployment };

/** The object was missing in a consistent list of this version. */
export interface Dead extends WorkflowRef {
  resourceVersion: string;
}

export interface WorkflowRegistry {
  /**
   * Our workflows of the namespace that run, and how many there are of an install or a control
   * cluster that was replaced. The list may lag behind by seconds.
   */
  running(): Promise<{ running: WorkflowRef[]; replaced: number }>;
  /** Ends those of others. Returns how many there were. */
  endReplaced(): Promise<number>;
  /** Undefined while its workflow runs; else what became of it, in words. Does not lag behind. */
  closeReason(ref: WorkflowRef): Promise<string | undefined>;
  /**
   * Starts the workflow as the watcher does for an object that it sees for the first time. `epoch`:
   * of the watcher's Lease.
   */
  signalObserved(living: Living, epoch: number): Promise<void>;
  /** Does nothing when the workflow of the Machine does not run. */
  signalMissing(machine: string, missing: MissingInstance): Promise<void>;
  /** Signals the workflow that its object is gone. Returns why that is not needed, if so. */
  signalGone(dead: Dead, epoch: number): Promise<string | undefined>;
}
