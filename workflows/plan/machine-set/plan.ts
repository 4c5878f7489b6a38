/** Plan of a MachineSet: its next step. */
import type { AutoPreservation } from './auto-preservation.ts';
import type { MachineRefs } from './deletions.ts';
import type { RefusedWrites, Requeue } from '../requeues.ts';
import { isHeld } from '../requeues.ts';
import { burst } from './deletions.ts';

export interface DesiredMachines {
  isDeleting: boolean;
  hasFinalizer: boolean;
  /**
   * `kubectl delete --cascade=orphan`: while the finalizer `orphan` stands, no child is deleted.
   */
  isOrphaning: boolean;
  /** metadata.generation that the rest was read at. */
  generation: number;
  replicas: number;
  /** The label that forbids new machines, e.g. `freeze=True`. */
  frozenBy?: string;
  /** Faults that make the spec unusable; empty when it is fine. */
  faults: string[];
}

/** Nothing else deletes them: more in their place are made up to `surge`. */
export interface UncountedMachines {
  count: number;
  /** The first of them. */
  names: string[];
  surge: number;
}

/** A plan-sized answer: counts, and the names that can be in the next plan. */
export interface ObservedMachineSet {
  desired: DesiredMachines;
  /** All claimed machines, Terminating ones included. */
  total: number;
  /** Claimed machines that are not going away. */
  present: number;
  failed: {
    total: number;
    preserved: number;
    /** Wait for a replacement to be granted. */
    held: number;
  };
  toDelete: MachineRefs;
  /** Failed machines that the set preserves, or lets go, on its own; absent when there is none. */
  autoPreservation?: AutoPreservation;
  /**
   * Names of machines that differ from the template, at most `burst`; absent when there is none.
   */
  toPush?: string[];
  /** Machines that it made and does not count any more; absent when none is missing. */
  uncounted?: UncountedMachines;
  /** Those of `toDelete` that failed before they joined; absent when there is none. */
  unjoined?: string[];
  /** The cause that kept machines from joining is gone. */
  isChurnOver?: true;
  /**
   * A preservation ends then, a Failed machine may be replaced, a refused status is written again,
   * milliseconds. It limits every wait of the set.
   */
  holdsUntil?: number;
}

export type MachineSetStep =
  | { action: 'create'; count: number; reason: string }
  | { action: 'delete'; names: string[]; reason: string }
  | { action: 'push'; names: string[]; reason: string }
  | ({ action: 'preserve'; reason: string } & AutoPreservation)
  | { action: 'release'; reason: string }
  | { action: 'wait'; reason: string; until?: number };

type Wait = Extract<MachineSetStep, { action: 'wait' }>;

/** Failures that are tried again later. */
export interface SetRequeues {
  /** A batch of creates. */
  create?: Requeue;
  /** Machines that the API server did not let the set write or delete. */
  refused?: RefusedWrites;
  /** The template, to machines that did not take it. */
  push?: Requeue;
}

/** So many mean that everything is refused: no more are tried until it is time to try again. */
const mostRefused = 100;

export interface MachineSetFacts {
  observation: ObservedMachineSet;
  /** Machines of finished batches that the read was too early to see. */
  createdSince: number;
  /** Machines per batch: 1, 2, 4 ... after each success, 1 again after an error. */
  batchSize: number;
  requeues?: SetRequeues;
  /** Why nothing may be created or deleted. */
  stop?: string;
}

/**
 * Numbers come first: a push never holds up a scaling, and nothing that a scaling waits for holds
 * up a push.
 */
export function planMachineSet(facts: MachineSetFacts, now: number): MachineSetStep {
  const { requeues = {} } = facts;
  const observation = withinRefusals(facts, now);
  const step = withinStop(
    { ...facts, observation },
    planRegardless({ ...facts, observation }, now),
  );
  if (step.action !== 'wait') return step;
  const pushAt = isHeld(requeues, 'push', now) ? requeues.push?.retryAt : undefined;
  const wait = notPast(notPast(step, observation.holdsUntil), pushAt);
  if (!requeues.refused || !isHeld(requeues, 'refused', now)) return wait;
  const { names, message, retryAt } = requeues.refused;
  const reason = `${step.reason}; ${names.length} machines cannot be written: ${message}`;
  return notPast({ ...wait, reason }, retryAt);
}

function notPast(wait: Wait, time: number | undefined): Wait {
  return time === undefined ? wait : { ...wait, until: Math.min(wait.until ?? time, time) };
}

/** A step that a stop forbids waits for its end; the template is pushed all the same. */
function withinStop({ observation, stop }: MachineSetFacts, step: MachineSetStep): MachineSetStep {
  if (stop === undefined || (step.action !== 'create' && step.action !== 'delete')) return step;
  const wait = { action: 'wait', reason: `${step.reason}; ${stop}` } as const;
  return observation.desired.isDeleting ? wait : (planPush(observation) ?? wait);
}

/** When so many were refused, no more are tried. */
function withinRefusals(
  { observation, requeues = {} }: MachineSetFacts,
  now: number,
): ObservedMachineSet {
  const { names = [] } = requeues.refused ?? {};
  if (names.length < mostRefused || !isHeld(requeues, 'refused', now)) return observation;
  const { autoPreservation: _later, ...rest } = observation;
  return { ...rest, toDelete: { names: [], reason: '' } };
}

function planRegardless(facts: MachineSetFacts, now: number): MachineSetStep {
  const { observation } = facts;
  if (observation.desired.isDeleting) return planSetDeletion(observation);
  if (observation.desired.faults.length > 0) {
    return { action: 'wait', reason: observation.desired.faults.join('; ') };
  }
  // Before anything is replaced.
  const preservation = planPreservation(observation);
  if (preservation) return preservation;
  const step = planNumber(facts, now);
  return step.action === 'wait' ? (planPush(observation) ?? step) : step;
}

function planSetDeletion({ desired, total, toDelete }: ObservedMachineSet): MachineSetStep {
  if (!desired.hasFinalizer) return { action: 'wait', reason: 'being deleted, finalizer gone' };
  if (desired.isOrphaning)
    return { action: 'wait', reason: 'being deleted, its machines are let go' };
  if (total === 0) return { action: 'release', reason: 'no machine is left' };
  if (toDelete.names.length > 0) return { action: 'delete', ...toDelete };
  return { action: 'wait', reason: `${total} machines are going away` };
}

function planNumber(facts: MachineSetFacts, now: number): MachineSetStep {
  const { observation, createdSince } = facts;
  const missing = observation.desired.replicas - observation.present - createdSince;
  if (missing > 0) return planCreation(facts, missing, now);
  if (observation.toDelete.names.length > 0) return { action: 'delete', ...observation.toDelete };
  return waitForNews(observation);
}

function planCreation(facts: MachineSetFacts, missing: number, now: number): MachineSetStep {
  const { frozenBy, replicas } = facts.observation.desired;
  if (frozenBy !== undefined) {
    return {
      action: 'wait',
      reason: `${missing} machines missing, but label ${frozenBy} allows no new ones`,
    };
  }
  const { create } = facts.requeues ?? {};
  if (create && now < create.retryAt) {
    const reason = `${missing} machines missing; ${create.message || 'the last batch failed'}`;
    return { action: 'wait', reason, until: create.retryAt };
  }
  const room = roomIn(facts.observation) - facts.createdSince;
  if (room <= 0) {
    const why = refusedForUncounted(facts.observation) ?? 'what was made is read first';
    return { action: 'wait', reason: `${missing} machines missing; ${why}` };
  }
  const count = Math.min(missing, facts.batchSize, burst, room);
  return { action: 'create', count, reason: `${missing} of ${replicas} missing` };
}

/** How many there may be more, whatever became of those that it made. */
function roomIn({ desired, present, uncounted }: ObservedMachineSet): number {
  if (!uncounted) return Infinity;
  return desired.replicas + uncounted.surge - present - uncounted.count;
}

/** Why none is made although some are missing; undefined when one may be. */
export function refusedForUncounted(observation: ObservedMachineSet): string | undefined {
  const { desired, present, uncounted } = observation;
  if (!uncounted || present >= desired.replicas || roomIn(observation) > 0) return undefined;
  return `of those that it made ${uncounted.count} do not count as its own any more: something else changed labels, owners or phase of ${uncounted.names.join(', ')}; delete them or undo the change`;
}

function waitForNews({ desired, present, failed }: ObservedMachineSet): Wait {
  const reasons = [
    `has ${present} of ${desired.replicas} machines`,
    failed.preserved > 0 && `${failed.preserved} failed and preserved`,
    failed.held > 0 && `${failed.held} failed, not yet allowed to be replaced`,
  ];
  const reason = reasons.filter((text) => text !== false).join('; ');
  return { action: 'wait', reason };
}

/** Nothing is to be made, deleted or changed: only the counts may be news. */
export function isAtRest(observation: ObservedMachineSet, now: number): boolean {
  const { desired, present } = observation;
  if (desired.isDeleting || present !== desired.replicas) return false;
  return planMachineSet({ observation, createdSince: 0, batchSize: 1 }, now).action === 'wait';
}

/**
 * One step brings about what the spec asks for. To report the spec as seen only then saves a write
 * of the set's status, and all the reads that follow one. `batchSize`: of the next batch; undefined
 * when none may follow at once.
 */
export function isOneStepAway(
  observation: ObservedMachineSet,
  batchSize: number | undefined,
): boolean {
  const { desired, present, toDelete } = observation;
  if (batchSize === undefined) return false;
  if (desired.isDeleting || desired.faults.length > 0 || desired.frozenBy !== undefined)
    return false;
  const missing = desired.replicas - present;
  if (missing > 0) return missing <= Math.min(batchSize, burst, roomIn(observation));
  return toDelete.names.length > 0 && toDelete.names.length < burst;
}

function planPush({ toPush: names = [] }: ObservedMachineSet): MachineSetStep | undefined {
  if (names.length === 0) return undefined;
  return { action: 'push', names, reason: `${names.length} machines differ from the template` };
}

function planPreservation({ autoPreservation }: ObservedMachineSet): MachineSetStep | undefined {
  if (!autoPreservation) return undefined;
  const { preserve, unpreserve } = autoPreservation;
  const reasons = [
    preserve.length > 0 && `${preserve.length} failed: to be preserved`,
    unpreserve.length > 0 &&
      `${unpreserve.length} more preserved than autoPreserveFailedMachineMax allows`,
  ];
  const reason = reasons.filter((text) => text !== false).join('; ');
  return { action: 'preserve', ...autoPreservation, reason };
}

/** Slow start: twice as many after each batch without an error. */
export function nextBatchSize(batchSize: number): number {
  return Math.min(batchSize * 2, burst);
}

/** The state for which a batch of creates was planned. */
export type PlannedFor = Pick<DesiredMachines, 'generation' | 'replicas'>;

/**
 * How many machines of a batch may still be made, those made already included. When fewer are
 * wanted now than when the batch was planned, the difference is not made: a MachineDeployment
 * counts on it that a set which has seen its latest spec does not grow past it.
 */
export function batchLimit(planned: { count: number; basis: PlannedFor }, now: PlannedFor): number {
  if (now.generation === planned.basis.generation) return planned.count;
  return Math.max(planned.count - Math.max(planned.basis.replicas - now.replicas, 0), 0);
}
