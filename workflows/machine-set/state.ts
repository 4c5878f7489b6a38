/** State that a MachineSet's workflow carries from run to run. */
import type { ObjectState } from '../runtime/object-lifecycle.ts';
import type { MachinesSnapshot } from '../contracts/snapshots.ts';
import type { SnapshotVersion } from '../contracts/references.ts';
import { isNewer } from '../contracts/references.ts';
import type { PlannedFor, ObservedMachineSet } from '../plan/machine-set/plan.ts';
import type { Churn } from '../plan/machine-set/churn.ts';
import type { RefusedMachines } from '../plan/machine-set/refused-machines.ts';
import type { KnownUnpushable } from './unpushable.ts';

export interface MachineSetState extends ObjectState {
  observation?: ObservedMachineSet;
  /** The set's status does not say yet that the spec was seen. */
  isUnreported?: boolean;
  machineDeployment?: string;
  /** Machines created since the last read. */
  createdSince: number;
  batchSize: number;
  /** Not resolved yet: its names count as machines. */
  batch?: Batch;
  failures: number;
  retryAt?: number;
  lastError?: string;
  /**
   * Machines that the watcher saw outside the selector; `epoch`: of the watcher that said so last.
   */
  unmatched?: { epoch: number; names: string[] };
  /** The newest change of a machine that was signalled. */
  changed?: SnapshotVersion;
  /** Machines whose writes were refused: left alone until it is time to try again. */
  refused?: RefusedMachines;
  /** Machines failed before they joined, again and again. */
  churn?: Churn;
  /** A read from before a batch that did less than planned is no basis for the next plan. */
  mustRead?: boolean;
  /** Machines that do not take the template. */
  unpushable?: KnownUnpushable;
}

/**
 * All names are chosen before the first create, so that whatever is retried makes no machine twice.
 */
export interface Batch {
  names: string[];
  basis: PlannedFor;
}

export function newState(): MachineSetState {
  return { isGone: false, createdSince: 0, batchSize: 1, failures: 0 };
}

/**
 * Signals of one watcher arrive in order, and each read of the set reads its machines again: only
 * signals of an earlier leader are dropped. resourceVersions cannot decide: a changed selector is
 * signalled with the set's version, which may be older than that of the last machine.
 */
export function noteUnmatched(
  state: MachineSetState,
  { epoch, unmatched = [] }: MachinesSnapshot,
): void {
  if (state.unmatched !== undefined && epoch < state.unmatched.epoch) return;
  if (unmatched.length > 0) state.unmatched = { epoch, names: unmatched };
  else delete state.unmatched;
}

/** After a restore of etcd versions are lower; the watcher then signals with a higher epoch. */
export function noteChanged(
  state: MachineSetState,
  { cluster, epoch, resourceVersion }: MachinesSnapshot,
): void {
  const seen = { cluster, epoch, resourceVersion };
  if (isNewer(seen, state.changed)) state.changed = seen;
}
