/** What a MachineSet does next. */
import type { MachineFact } from './scale-down.ts';
import { orderForScaleDown } from './scale-down.ts';

/** MCM v0.62.1 creates or deletes at most 100 machines at a time. */
export const burst = 100;

export interface SetDemand {
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** `kubectl delete --cascade=orphan`: while the finalizer `orphan` stands, no child is deleted. */
  isOrphaning: boolean;
  replicas: number;
  /** Label `freeze` is `True` or `scale-up-disabled` is present. */
  isFrozen: boolean;
  /** What makes the spec unusable; empty when it is fine. */
  faults: string[];
}

/** A plan-sized answer: counts, and the names that can be in the next plan. */
export interface SetSurvey {
  demand: SetDemand;
  /** All claimed machines, Terminating ones included. */
  total: number;
  /** Claimed machines that are not going away. */
  present: number;
  toDelete: MachineRefs;
}

export interface MachineRefs {
  names: string[];
  reason: string;
}

export type MachineSetStep =
  | { action: 'create'; count: number; reason: string }
  | { action: 'delete'; names: string[]; reason: string }
  | { action: 'release'; reason: string }
  | { action: 'wait'; reason: string; until?: number };

export interface MachineSetFacts {
  survey: SetSurvey;
  /** Machines of finished batches that the survey was too early to see. */
  createdSince: number;
  /** Machines per batch: 1, 2, 4 ... after each success, 1 again after an error. */
  batchSize: number;
  retryAt?: number;
  lastError?: string;
}

export function planMachineSet(facts: MachineSetFacts, now: number): MachineSetStep {
  const { survey } = facts;
  if (survey.demand.isDeleting) return planSetDeletion(survey);
  if (survey.demand.faults.length > 0) {
    return { action: 'wait', reason: survey.demand.faults.join('; ') };
  }
  const missing = survey.demand.replicas - survey.present - facts.createdSince;
  if (missing > 0) return planCreation(facts, missing, now);
  if (survey.toDelete.names.length > 0) return { action: 'delete', ...survey.toDelete };
  return { action: 'wait', reason: `has ${survey.present} of ${survey.demand.replicas} machines` };
}

function planSetDeletion({ demand, total, toDelete }: SetSurvey): MachineSetStep {
  if (!demand.hasFinalizer) return { action: 'wait', reason: 'being deleted, finalizer gone' };
  if (demand.isOrphaning)
    return { action: 'wait', reason: 'being deleted, its machines are let go' };
  if (total === 0) return { action: 'release', reason: 'no machine is left' };
  if (toDelete.names.length > 0) return { action: 'delete', ...toDelete };
  return { action: 'wait', reason: `${total} machines are going away` };
}

function planCreation(facts: MachineSetFacts, missing: number, now: number): MachineSetStep {
  if (facts.survey.demand.isFrozen) {
    return { action: 'wait', reason: `${missing} machines missing, but the set is frozen` };
  }
  if (facts.retryAt !== undefined && now < facts.retryAt) {
    const reason = `${missing} machines missing; ${facts.lastError ?? 'the last batch failed'}`;
    return { action: 'wait', reason, until: facts.retryAt };
  }
  const count = Math.min(missing, facts.batchSize, burst);
  return {
    action: 'create',
    count,
    reason: `${missing} of ${facts.survey.demand.replicas} missing`,
  };
}

/** Slow start: twice as many after each batch without an error. */
export function nextBatchSize(batchSize: number): number {
  return Math.min(batchSize * 2, burst);
}

/** The machines of a set that go next, and why. */
export function machinesToDelete(
  demand: SetDemand,
  machines: readonly MachineFact[],
  now: number,
): MachineRefs {
  const present = machines.filter(isPresent);
  if (demand.isDeleting) return refs(present.slice(0, burst), 'the set is being deleted');
  const surplus = present.length - demand.replicas;
  if (surplus > 0) {
    const reason = `${present.length} machines, ${demand.replicas} wanted`;
    return refs(orderForScaleDown(present, now).slice(0, Math.min(surplus, burst)), reason);
  }
  const failed = present.filter((machine) => machine.phase === 'Failed');
  return refs(failed.slice(0, burst), 'failed: to be replaced');
}

/** Terminating machines do not count against the wanted number, as in MCM; ours counts by deletionTimestamp too. */
export function isPresent(machine: MachineFact): boolean {
  return !machine.isDeleting && machine.phase !== 'Terminating';
}

function refs(machines: readonly MachineFact[], reason: string): MachineRefs {
  return { names: machines.map(({ name }) => name), reason };
}
