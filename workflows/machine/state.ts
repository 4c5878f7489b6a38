/** What a Machine's workflow knows; carried whole through continue-as-new. */
import type { CreatedInstance } from '../contracts/driver-activities.ts';
import type { DrainReport } from '../contracts/drain-activities.ts';
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import type { ReadNode } from '../contracts/node-activities.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import { digestOfOptions } from '../api/drain-options.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { PreservationNotes } from '../api/preservation.ts';
import { healthFactsOf, lookSoon, seenOf } from './health.ts';
import type { LossState } from './missing-instance.ts';
import { lossFactsOf } from './missing-instance.ts';
import type { PreservationState } from './preservation.ts';
import type { OperationState } from './cloud-operation.ts';
import { operationFactsOf } from './cloud-operation.ts';
import { preservationFactsOf } from './preservation.ts';
import type { GoneSnapshot, MachineSnapshot, NodeSnapshot } from '../contracts/messages.ts';
import type { Sighting } from '../contracts/references.ts';
import { isLater } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import { evictionSeconds } from '../plan/drain/removals.ts';
import { fingerprintOf } from '../plan/drain/report.ts';
import type { HealthState } from '../plan/machine/health.ts';
import type { RunningStep } from '../plan/machine/steps.ts';
import type { MachineFacts, StepFailure } from '../plan/machine/facts.ts';
import { isSameInstance } from '../values/provider-id.ts';

/** The object as it was seen last, by a signal or by our own read. */
export interface ObservedMachine extends Sighting {
  uid: string;
  isDeleting: boolean;
  hasFinalizer: boolean;
  specDigest?: string;
  forceDeletion?: boolean;
  drain?: DrainOptions;
  preservation?: PreservationNotes;
}

export interface Outage {
  reason: string;
  attempts: number;
  /** Milliseconds. */
  retryAt: number;
}

export interface MachineState {
  version: 1;
  /** The life that this run stands for; set by the first read. */
  uid?: string;
  observed?: ObservedMachine;
  isGone: boolean;
  /** A later object of the same name: its life begins when this one has ended. */
  successor?: MachineSnapshot;
  node?: NodeSnapshot;
  prepared?: PreparedMachine;
  /** The object or its class changed: read it again. */
  isStale: boolean;
  /** The Node was read in this life, or the Machine named none: signals tell the rest. */
  isNodeRead?: boolean;
  /** The target cluster did not answer when Machine and Node were read. */
  outage?: Outage;
  /** The Machine, or the class that was seen, says by now something else of the Node. */
  nodeBehind?: { class?: Sighting };
  /** Another Machine has the Node: it is neither drained nor deleted with this one. */
  isNodeContested?: boolean;
  phase: MachinePhase;
  failure?: NonNullable<MachineFacts['failure']>;
  /** What failed last, until it is on the object. */
  unreported?: { failure: StepFailure; operation: 'Create' | 'Delete' };
  /** When somebody took the finalizer off the living object, milliseconds. */
  finalizerLostAt?: number;
  /** A Node may be left of an earlier instance under the name that the new instance got. */
  mustCheckName?: boolean;
  /** The joining Node as it was when it was equipped last. */
  equipped?: { uid: string; seen: string };
  /** The Node that went before the machine joined, as it was when that was looked at. */
  lossSeen?: string;
  /** A create or a delete that goes on in the cloud. */
  operation?: OperationState;
  instance?: CreatedInstance;
  isRecorded: boolean;
  wasCreateSent: boolean;
  createGeneration: number;
  /** A create was sent and nobody knows what came of it. */
  isUnsettled: boolean;
  /** An earlier life, of which nothing is known, may have sent a create; false once one of this life is answered. */
  mayHaveCreated?: boolean;
  /** Until when the cloud may list a late instance of such a create, milliseconds. */
  settleAt?: number;
  teardown?: NonNullable<MachineFacts['teardown']> & {
    startedAt: number;
    /** Pods were not asked to leave: their volumes are still attached when the instance is gone. */
    wasForced?: boolean;
  };
  /** What the drain that runs reported last. */
  drain?: DrainReport;
  /** Absent where nobody says anything of it. */
  preservation?: PreservationState;
  /** A look at a machine that is late to join got no answer, or the one before it did not: it has until then, milliseconds. */
  joinBy?: { at: number; isOutage: boolean };
  /** Somebody says that the instance is gone. */
  loss?: LossState;
  /** Of a machine that has joined; absent when nobody has looked in this life. */
  health?: HealthState;
  /** Since when the machine has been in its phase, milliseconds. */
  phaseSince: number;
}

export function newMachineState(now: number): MachineState {
  return {
    version: 1,
    isGone: false,
    isStale: true,
    phase: '',
    isRecorded: false,
    wasCreateSent: false,
    createGeneration: 0,
    isUnsettled: false,
    phaseSince: now,
  };
}

/** Takes in a live object. Returns whether anything changed that the plan looks at. */
export function observeMachine(state: MachineState, seen: MachineSnapshot): boolean {
  if (state.uid !== undefined && seen.uid !== state.uid) return observeSuccessor(state, seen);
  if (!isLater(seen, state.observed)) return false;
  const wasEdited =
    state.observed?.specDigest !== undefined && state.observed.specDigest !== seen.specDigest;
  if (wasEdited && state.failure) state.failure.retryAt = 0;
  if (wasEdited) {
    state.isStale = true;
    state.nodeBehind ??= {};
    lookSoon(state);
  }
  state.observed = { ...knownOptions(state), ...seen };
  noteFinalizer(state, seen);
  return true;
}

/** A machine that nobody has read yet gets its finalizer by the first read. */
export function noteFinalizer(
  state: MachineState,
  { isDeleting, hasFinalizer }: Pick<ObservedMachine, 'isDeleting' | 'hasFinalizer'>,
): void {
  if (hasFinalizer || isDeleting || !state.prepared) delete state.finalizerLostAt;
  else state.finalizerLostAt ??= Date.now();
}

/** What is not told stays as it was. */
function knownOptions({ observed }: MachineState): Pick<ObservedMachine, 'drain'> {
  return observed?.drain ? { drain: observed.drain } : {};
}

/** Another UID under our name: our object must be gone, whether or not that was seen. */
function observeSuccessor(state: MachineState, seen: MachineSnapshot): boolean {
  if (!isLater(seen, state.observed) || !isLater(seen, state.successor)) return false;
  state.successor = seen;
  state.isGone = true;
  return true;
}

export function observeGone(state: MachineState, gone: GoneSnapshot): boolean {
  if (state.successor?.uid === gone.uid && isLater(gone, state.successor)) {
    delete state.successor;
    return true;
  }
  if (gone.uid !== (state.uid ?? state.observed?.uid) || !isLater(gone, state.observed))
    return false;
  state.isGone = true;
  return true;
}

export function observeNode(state: MachineState, node: NodeSnapshot): boolean {
  if (state.node?.uid === node.uid && !isLater(node, state.node)) return false;
  state.node = node;
  return true;
}

/** A Node that we read ourselves: what the watcher tells of it from then on is later, or comes with a higher epoch. */
export function noteReadNode(state: MachineState, node: ReadNode): void {
  const known = state.node?.uid === node.uid ? state.node : undefined;
  const { cluster = state.observed?.cluster ?? '', epoch = 0 } = known ?? {};
  const read: NodeSnapshot = { ...node, cluster, epoch, exists: true, conditionsDigest: '' };
  if (!isLater(known ?? read, read)) state.node = read;
}

/** A repaired class wakes a machine that waits for it; one that runs is told when its Node has to follow. */
export function observeClass(state: MachineState, { ...seen }: Sighting): boolean {
  if (isLater(seen, state.nodeBehind?.class)) state.nodeBehind = { class: seen };
  if (!state.failure) return state.phase === 'Running';
  state.isStale = true;
  state.failure.retryAt = 0;
  return true;
}

/** Returns whether the drain that runs found other things in the way than before. */
export function observeDrain(state: MachineState, report: DrainReport): boolean {
  if (report.uid !== state.uid || !isBeingDrained(state)) return false;
  const { blockers = [], deadline } = state.drain ?? {};
  state.drain = report;
  return deadline !== report.deadline || fingerprintOf(blockers) !== fingerprintOf(report.blockers);
}

/** What operators ask of the drain, by all that was read and seen. */
export function drainOptionsOf({ observed, prepared }: MachineState): DrainOptions {
  return observed?.drain ?? prepared?.drain ?? {};
}

/** Because it goes, or because it has failed and is kept for a look at it. */
export function isBeingDrained({ teardown, preservation }: MachineState): boolean {
  if (teardown) return !teardown.isDrained;
  return preservation?.drain?.isDone === false;
}

/** Milliseconds, as if nothing had been paused: the activity that drains moves it by the pauses. No restart begins it anew. */
export function drainDeadlineOf(state: MachineState): number {
  const { prepared, teardown, preservation } = state;
  if (!prepared) return Number.MAX_SAFE_INTEGER;
  if (!teardown) return preservedDrainDeadlineOf(preservation, prepared);
  return drainOptionsOf(state).until ?? drainTimeoutOf(prepared, teardown);
}

/** Milliseconds: since when pauses move its deadline. */
export function drainBeganAt({ prepared, teardown, preservation }: MachineState): number {
  if (teardown) return prepared?.deletionRequestedAt ?? teardown.startedAt;
  return preservation?.drain?.startedAt ?? 0;
}

/** As the drain that runs moved it. */
export function shownDrainDeadlineOf(state: MachineState): number {
  return state.drain?.deadline ?? drainDeadlineOf(state);
}

function drainTimeoutOf(prepared: PreparedMachine, { startedAt }: Teardown): number {
  const requestedAt = prepared.deletionRequestedAt ?? startedAt;
  return requestedAt + prepared.limits.drainTimeoutSeconds * 1000;
}

function preservedDrainDeadlineOf(
  preservation: PreservationState | undefined,
  { limits }: PreparedMachine,
): number {
  const startedAt = preservation?.drain?.startedAt;
  if (startedAt === undefined) return Number.MAX_SAFE_INTEGER;
  return startedAt + limits.drainTimeoutSeconds * 1000;
}

/** How often a pod is asked. Who extends a drain wants its budgets respected for as much longer. */
export function evictRetriesOf(state: MachineState): number | undefined {
  const { prepared, teardown } = state;
  const retries = prepared?.limits.maxEvictRetries;
  const { until } = drainOptionsOf(state);
  if (!prepared || !teardown || retries === undefined || until === undefined) return retries;
  const extension = Math.max(until - drainTimeoutOf(prepared, teardown), 0);
  return retries + Math.ceil(extension / (evictionSeconds * 1000));
}

/** For the query `drain`; undefined while nothing is drained. */
export function drainOf(state: MachineState): object | undefined {
  if (!isBeingDrained(state)) return undefined;
  const { podsLeft, blockers = [], blockerCount, volumeWait } = state.drain ?? {};
  const deadline = shownDrainDeadlineOf(state);
  return { isBlocked: blockers.length > 0, podsLeft, blockers, blockerCount, volumeWait, deadline };
}

/** What the plan looks at. */
export function factsOf(state: MachineState, running: RunningStep | undefined): MachineFacts {
  const { prepared, instance, teardown, failure, phase, isRecorded } = state;
  const observed: Partial<ObservedMachine> = state.observed ?? {};
  return defined({
    ...dutiesOf(state),
    running,
    operation: operationFactsOf(state, running),
    isGone: state.isGone,
    isDeleting: observed.isDeleting ?? false,
    hasFinalizer: observed.hasFinalizer ?? false,
    mustForce: observed.forceDeletion ?? false,
    drainOptions: digestOfOptions(drainOptionsOf(state)),
    isPrepared: prepared !== undefined && !state.isStale,
    failure,
    instance,
    unsettledUntil: state.settleAt,
    isOwned: prepared?.machineSet !== undefined,
    provider: prepared?.provider,
    phase,
    isRecorded,
    usesTarget: prepared?.usesTarget ?? true,
    isNodeReady: isOurNodeReady(state),
    isNodeBehind: isNodeBehind(state),
    createDeadline: joinDeadlineOf(state),
    health: healthFactsOf(state),
    loss: lossFactsOf(state),
    preservation: preservationFactsOf(state, ownNodeOf(state)),
    teardown,
  });
}

/** What is left to be done or to be known. */
function dutiesOf(state: MachineState) {
  const { outage, mustCheckName, unreported, wasCreateSent, mayHaveCreated = false } = state;
  return {
    outage,
    mustCheckName,
    isUnreported: unreported !== undefined || undefined,
    finalizerAt: finalizerTimeOf(state),
    hasLostNode: hasLostNode(state) || undefined,
    wasCreateSent: wasCreateSent || mayHaveCreated,
  };
}

/** Whoever takes a finalizer off to let an object go has the time to delete it. MCM v0.62.1 takes up to 10 minutes. */
const finalizerGraceMs = 60_000;

function finalizerTimeOf({ finalizerLostAt }: MachineState): number | undefined {
  return finalizerLostAt === undefined ? undefined : finalizerLostAt + finalizerGraceMs;
}

function isNodeBehind(state: MachineState): boolean {
  const { nodeBehind, instance, phase, equipped } = state;
  if (phase === 'Running') return nodeBehind !== undefined && instance !== undefined;
  const node = joiningNodeOf(state);
  if (!node?.exists || node.isDeleting) return false;
  return nodeBehind !== undefined || seenOf(node) !== equipped?.seen;
}

function hasLostNode(state: MachineState): boolean {
  const node = joiningNodeOf(state);
  if (!node || (node.exists && !node.isDeleting)) return false;
  return seenOf(node) !== state.lossSeen;
}

/** The Node of a machine that waits for it to become Ready. */
function joiningNodeOf(state: MachineState): NodeSnapshot | undefined {
  return state.phase === 'Pending' && state.isRecorded ? ownNodeOf(state) : undefined;
}

function isOurNodeReady(state: MachineState): boolean {
  const node = ownNodeOf(state);
  if (!node) return false;
  return node.exists && node.isReady && !node.isDeleting && !node.isWaitingForCriticalComponents;
}

/** The Node that was seen last, if it is of this machine's instance. */
export function ownNodeOf({ node, instance }: MachineState): NodeSnapshot | undefined {
  if (!node || node.name !== instance?.nodeName) return undefined;
  return isSameInstance(node.providerID, instance.providerID) ? node : undefined;
}

/** Milliseconds; counts from the creation of the object, as in MCM v0.62.1. */
export function createDeadlineOf(prepared: PreparedMachine | undefined): number {
  if (!prepared) return Number.MAX_SAFE_INTEGER;
  return prepared.createdAt + prepared.limits.creationTimeoutSeconds * 1000;
}

/** The same, or later because of an outage. */
export function joinDeadlineOf({ prepared, joinBy }: MachineState): number {
  return Math.max(createDeadlineOf(prepared), joinBy?.at ?? 0);
}

type Teardown = NonNullable<MachineState['teardown']>;

/** The teardown of a machine as its object says it now. */
export function newTeardown(
  state: MachineState,
  { usesTarget, providerID }: PreparedMachine,
): Teardown {
  const { instance, isNodeContested, isUnsettled } = state;
  const hasNode = instance !== undefined && usesTarget && !isNodeContested;
  // Without its name the Node of an instance cannot be drained: the cloud knows it.
  const mayHaveInstance = isUnsettled || providerID !== undefined;
  const mustFind = mayHaveInstance && usesTarget && instance === undefined;
  const isSkipped = drainOptionsOf(state).isSkipped ?? false;
  return {
    ...(mustFind && { mustFind }),
    isDrained: !hasNode || isSkipped,
    ...(isSkipped && { wasForced: true }),
    isInstanceGone: false,
    isFinished: false,
    startedAt: Date.now(),
  };
}
