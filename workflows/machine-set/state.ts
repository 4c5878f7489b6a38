/** State that a MachineSet's workflow carries from run to run. */
import type { ObjectState } from '../runtime/object-lifecycle.ts';
import type { MachinesSnapshot } from '../contracts/snapshots.ts';
import type { SnapshotVersion } from '../contracts/references.ts';
import { isNewer } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import type { PlannedFor, ObservedMachineSet, SetRequeues } from '../plan/machine-set/plan.ts';
import type { Churn } from '../plan/machine-set/churn.ts';
import type { RefusedWrites } from '../plan/requeues.ts';
import { requeueOf } from '../plan/requeues.ts';
import type { Unpushable } from '../contracts/machine-set-activities.ts';

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
  requeues: SetRequeues;
  /**
   * Machines that the watcher saw outside the selector; `epoch`: of the watcher that said so last.
   */
  unmatched?: { epoch: number; names: string[] };
  /** The newest change of a machine that was signalled. */
  changed?: SnapshotVersion;
  /** Machines failed before they joined, again and again. */
  churn?: Churn;
  /** A read from before a batch that did less than planned is no basis for the next plan. */
  mustRead?: boolean;
  /** Machines that do not take the template. */
  unpushable?: KnownUnpushable;
}

/** All of them are tried again at the time of the requeue `push`, or with another spec. */
export type KnownUnpushable = Omit<Unpushable, 'mayPass'>;

/**
 * All names are chosen before the first create, so that whatever is retried makes no machine twice.
 */
export interface Batch {
  names: string[];
  basis: PlannedFor;
}

export function newState(): MachineSetState {
  return { isGone: false, createdSince: 0, batchSize: 1, requeues: {} };
}

/** As one run hands it to the next, which may be of the release before. */
export interface CarriedSet extends Omit<MachineSetState, 'requeues' | 'unpushable'> {
  failures: number;
  retryAt?: number;
  lastError?: string;
  refused?: RefusedWrites;
  unpushable?: KnownUnpushable & { failures?: number; retryAt?: number };
}

export function fromCarried(carried: CarriedSet): MachineSetState {
  const { failures, retryAt, lastError, refused, unpushable, ...state } = carried;
  const {
    failures: pushes,
    retryAt: pushAt,
    ...known
  } = unpushable ?? { generation: 0, names: [] };
  return defined({
    ...state,
    unpushable: unpushable && known,
    requeues: defined({
      create: requeueOf(failures, retryAt, lastError),
      refused,
      push: pushes ? requeueOf(pushes, pushAt, known.error) : undefined,
    }),
  });
}

export function toCarried({ requeues, unpushable, ...state }: MachineSetState): CarriedSet {
  const { create, refused, push } = requeues;
  const { failures, retryAt } = push ?? {};
  return defined({
    ...state,
    failures: create?.failures ?? 0,
    retryAt: create?.retryAt,
    lastError: create?.message,
    refused,
    unpushable: unpushable && defined({ ...unpushable, failures, retryAt }),
  });
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
