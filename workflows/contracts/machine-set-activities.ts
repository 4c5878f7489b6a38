/** The activities of MachineSets. */
import type { Churn } from '../plan/machine-set/churn.ts';
import type { Refusals } from '../plan/requeues.ts';
import type { PlannedFor, ObservedMachineSet } from '../plan/machine-set/plan.ts';
import type { ObjectReference, NamespacedName } from './references.ts';

export type ObservedSetOutcome =
  | { found: false }
  | {
      found: true;
      uid: string;
      resourceVersion: string;
      machineDeployment?: string;
      observation: ObservedMachineSet;
      /** The next step has to be followed by a read. */
      isUnreported?: true;
      /** Machines that could not be adopted or let go. */
      refused?: Refusals;
    };

export interface CreateBatchOutcome {
  created: string[];
  /** The name belongs to a Machine that is not ours. */
  taken: string[];
  /** Ours, and there before this attempt: what was read before may count them already. */
  present?: string[];
  /** Why the API server refused the others. */
  error?: string;
  /** Not made, because fewer are wanted by now. */
  withheld?: number;
}

/** Machines whose spec did not become what the template says. */
export interface Unpushable {
  /** Generation of the MachineSet: another template is tried again. */
  generation: number;
  names: string[];
  /** The API server's error. */
  error?: string;
  /** It failed by a fault of the server (500), as while a webhook is out of reach. */
  mayPass?: true;
}

export interface ObserveSetInput {
  set: NamespacedName;
  /**
   * resourceVersion that the watcher signalled: an older state is of no use. Absent: whatever was
   * read before is of none.
   */
  atLeast?: string;
  /**
   * resourceVersion of the newest change of a machine that the watcher signalled: where nothing is
   * to be done, an older state of the machines is of no use and a newer one is not needed.
   */
  machinesAtLeast?: string;
  /** Time of the workflow, milliseconds: what expires must do so for both. */
  now: number;
  /** Why the last batch failed. */
  error?: string;
  /** Names of machines that the set may have to let go. */
  unmatched?: string[];
  /** These are not named again. */
  unpushable?: Unpushable;
  /** Machines failed before they joined, again and again. */
  churn?: Churn;
  /** Machines that the next batch may make. Absent: none may follow at once. */
  batchSize?: number;
  /** Names of machines whose writes were refused: not to be tried again yet. */
  passOver?: string[];
  /** The API server's refusal of them, for the condition. */
  refusal?: Pick<Refusals, 'reason' | 'message'>;
}

export interface DeleteBatchOutcome {
  /** Fewer than planned: something else than what was read holds by now. */
  deleted: number;
  refused?: Refusals;
}

export interface MachineSetActivities {
  /**
   * Reads the set and its Machines, adopts and releases, writes finalizer and status if they
   * changed. A spec that one step brings about is reported after that step (`isUnreported`).
   */
  observeMachineSet(input: ObserveSetInput): Promise<ObservedSetOutcome>;
  /**
   * `basis`: of the plan. Makes fewer when the set wants fewer by now, and none when it is frozen.
   */
  createMachines(input: {
    set: ObjectReference;
    names: string[];
    basis: PlannedFor;
  }): Promise<CreateBatchOutcome>;
  /**
   * Makes a part of the machines' specs equal to the template. Returns those that did not take it.
   */
  pushTemplate(input: { set: ObjectReference; names: string[] }): Promise<Unpushable>;
  /**
   * Deletes of the named machines those that have to go by what is there now, and none when the
   * spec is not that of this generation any more. `now`: of the plan, milliseconds.
   */
  deleteMachines(input: {
    set: ObjectReference;
    names: string[];
    reason: string;
    generation: number;
    now: number;
  }): Promise<DeleteBatchOutcome>;
  /** Does nothing, but only when no stop is on: what was stopped begins again then. */
  waitForResume(input: { set: ObjectReference }): Promise<void>;
  /**
   * Not gone: its deletion was undone by an etcd that was restored. Nothing is returned by earlier
   * versions.
   */
  releaseMachineSet(input: { set: ObjectReference }): Promise<{ isGone: boolean } | undefined>;
}
