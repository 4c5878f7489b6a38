/** A MachineDeployment and its sets as plans see them: a test says what matters to it. */
import type {
  DeploymentFacts,
  InPlaceMachines,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { Rollout } from '../../../../../workflows/plan/machine-deployment/rollout/sizing.ts';

/** A rolling update of 10 replicas with surge 2 and nothing unavailable, under way for a while. */
export function someFacts(changes: Partial<DeploymentFacts> = {}): DeploymentFacts {
  return {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    className: 'small',
    faults: [],
    replicas: 10,
    strategy: 'RollingUpdate',
    maxSurge: 2,
    maxUnavailable: 0,
    isPaused: false,
    options: { autoRollback: false, faults: [] },
    progress: { reason: 'MachineSetUpdated', isOverdue: false, isComplete: false },
    newSetName: 'new',
    sets: [],
    hasNodes: false,
    protectsNodes: true,
    unprotectedNodes: [],
    hasProtectedNodes: false,
    ...changes,
  };
}

/** An old set that is as large as it is to be, unless said otherwise. */
export function aSet(changes: Partial<SetFacts> = {}): SetFacts {
  const { name = 'old', machines = '' } = changes;
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '7',
    revision: 1,
    isFormer: false,
    isOfTemplate: false,
    isDeleting: false,
    isObserved: true,
    replicas: machines.length,
    reported: machines.length,
    hasFreshScaling: true,
    needsSync: false,
    machines,
    going: 0,
    isTainted: false,
    isClosed: false,
    ...changes,
  };
}

/** The set of the template. */
export function theNewSet(changes: Partial<SetFacts> = {}): SetFacts {
  return aSet({ name: 'new', revision: 2, isOfTemplate: true, ...changes });
}

/** Machines of a set in an update in place: none is anywhere, unless said otherwise. */
export function updates(changes: Partial<InPlaceMachines> = {}): InPlaceMachines {
  return {
    unmarked: [],
    faulty: [],
    ready: [],
    selected: [],
    selectedAvailable: 0,
    failed: [],
    updated: [],
    arrived: [],
    marked: [],
    ...changes,
  };
}

export function rolloutOf(facts: DeploymentFacts, target = theNewSet()): Rollout {
  const known = facts.sets.find(({ isOfTemplate }) => isOfTemplate) ?? target;
  return { facts, target: known, others: facts.sets.filter((set) => set !== known) };
}

/** `A` three times is `AAA`. */
export const many = (letter: string, count: number): string => letter.repeat(count);
