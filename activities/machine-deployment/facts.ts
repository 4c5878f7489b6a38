/** A MachineDeployment as plans see it. */
import { annotations } from '../../workflows/api/constants.ts';
import type {
  MachineDeployment,
  MachineDeploymentSpec,
} from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isEmptySelector } from '../../workflows/api/selector.ts';
import { machineDeploymentFaults } from '../../workflows/api/validation.ts';
import { defined } from '../../workflows/values/defined.ts';
import { deploymentSelectorFaults } from '../../workflows/plan/ownership.ts';
import { selectsAll } from '../../workflows/plan/machine-deployment/plan.ts';
import { isManual, unavailableOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import { marksOf } from '../../workflows/plan/machine-deployment/rollout/autoscaler-marks.ts';
import type {
  ObservedDeployment,
  Grant,
  Marks,
  SetFacts,
  Strategy,
  WatchedMachines,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { ParsedOptions } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import type { MachineState } from '../../workflows/plan/machine-deployment/rollout/replacement-budget.ts';
import { grantsOf } from '../../workflows/plan/machine-deployment/rollout/replacement-budget.ts';
import { isFailed, isPreserved } from '../../workflows/plan/machine-set/deletions.ts';
import { hasFinalizer, isOrphaning } from '../../kube/objects/finalizers.ts';
import { byController, controllerOf } from '../../kube/objects/owners.ts';
import type { RepairTerms } from '../disruption/repairs.ts';
import { factOf, isAvailable } from '../machine-set/facts.ts';
import { timestamp } from '../../kube/objects/time.ts';
import type { Period } from '../../workflows/values/pauses.ts';
import type { Selection } from './in-place-facts.ts';
import { inPlaceMachinesOf } from './in-place-facts.ts';
import { maxSurgeOf, newSetNames } from './new-set.ts';
import { nodeOf } from './machines.ts';
import { nextScaledAt, scaledAtOf } from './scaled-at.ts';
import type { Clock } from './set-facts.ts';
import { hasJoined, nextAvailableAt, setFactsOf, wholeOf } from './set-facts.ts';
import { madeAt, watchedMachinesOf } from './watched-machines.ts';

export interface DeploymentView {
  deployment: MachineDeployment;
  faults: string[];
  /** Its own, oldest first. */
  sets: readonly MachineSet[];
  /** Names of all sets of the namespace. */
  takenNames: ReadonlySet<string>;
  /** The set with the deployment's template. */
  newSet: MachineSet | undefined;
  options: ParsedOptions;
  /** All that its selector matches; absent when they were not read. */
  machines?: readonly Machine[];
  now: number;
  nodes: SeenNodes;
  /** When nothing could be done. Default: never. */
  pauses?: readonly Period[];
  /** What DisruptionPolicies say of Failed machines; absent: nothing. */
  repairs?: RepairTerms;
  /** Absent where no update in place is under way. */
  selection?: Selection;
}

export interface SeenNodes {
  /** There is a target cluster. */
  hasNodes: boolean;
  /** Nodes are to be kept from the cluster autoscaler. */
  protects: boolean;
  /** Those that are; absent when that is not known. */
  protectedNodes?: readonly string[];
}

/**
 * A template without the labels that the selector asks for would make a set that is let go at once,
 * for ever.
 */
export function faultsOf(deployment: MachineDeployment): string[] {
  const faults = machineDeploymentFaults(deployment);
  if (faults.length > 0) return faults;
  const { selector, template } = deployment.spec;
  if (isEmptySelector(selector)) return [selectsAll];
  return deploymentSelectorFaults(selector, template.metadata?.labels);
}

/** All but `progress`, which the status decides. */
export function factsOf(view: DeploymentView): ObservedDeployment {
  const { deployment, faults } = view;
  const bySet = byController(view.machines ?? []);
  return defined({
    isDeleting: deployment.metadata.deletionTimestamp !== undefined,
    hasFinalizer: hasFinalizer(deployment),
    isOrphaning: isOrphaning(deployment),
    faults,
    ...desiredOf(view),
    newSetName: freeNameOf(view),
    scaledAt: scaledAtOf(deployment, view.now),
    nextScaledAt: nextScaledAt(deployment, view.now),
    sets: setsOf(view, bySet),
    marks: pendingMarks(view),
    grants: view.machines ? pendingGrants(view, bySet) : undefined,
    repairsAt: view.repairs?.until,
    nextAvailableAt: nextOf(view),
    watched: watchedOf(view, bySet),
    selectionUnknown: view.selection?.unknown,
    ...nodeFactsOf(view),
  });
}

function desiredOf({ deployment, options }: DeploymentView) {
  const { spec } = deployment;
  const { onDelete, honorsMinReadySeconds: _ready, ...rolloutOptions } = options;
  return {
    className: spec.template.spec?.class?.name ?? '',
    replicas: wholeOf(spec.replicas),
    strategy: strategyOf(spec, onDelete),
    isManual: isManual(spec.strategy) || undefined,
    maxSurge: maxSurgeOf(deployment),
    maxUnavailable: unavailableOf(spec),
    isPaused: spec.paused ?? false,
    rollbackTo: spec.rollbackTo && (spec.rollbackTo.revision ?? 0),
    historyLimit: spec.revisionHistoryLimit && wholeOf(spec.revisionHistoryLimit),
    options: rolloutOptions,
  };
}

function setsOf(view: DeploymentView, bySet: Map<string, Machine[]>): SetFacts[] {
  const { deployment, machines: seen, selection } = view;
  const clock = clockOf(view);
  return view.sets.map((set) => {
    const machines = seen && (bySet.get(set.metadata.uid) ?? []);
    const isOfTemplate = set === view.newSet;
    const facts = setFactsOf(deployment, defined({ set, machines, isOfTemplate }), clock);
    if (!selection || !machines) return facts;
    const templateSince = view.newSet && madeAt(view.newSet);
    const of = { machines, isOfTemplate, templateSince };
    return { ...facts, inPlace: inPlaceMachinesOf(of, selection, clock) };
  });
}

function nextOf(view: DeploymentView): number | undefined {
  const clock = clockOf(view);
  return clock.readySeconds > 0 ? nextAvailableAt(view.machines ?? [], clock) : undefined;
}

function watchedOf(
  { newSet, machines, options, pauses = [] }: DeploymentView,
  bySet: Map<string, Machine[]>,
): WatchedMachines | undefined {
  if (!newSet || !machines) return undefined;
  return watchedMachinesOf(options, bySet.get(newSet.metadata.uid) ?? [], pauses);
}

function nodeFactsOf(view: DeploymentView) {
  const { hasNodes, protects, protectedNodes } = view.nodes;
  return {
    hasNodes,
    protectsNodes: protects,
    unprotectedNodes: unprotectedNodes(view),
    hasProtectedNodes: protectedNodes === undefined || protectedNodes.length > 0,
  };
}

function clockOf({ deployment, options, now }: DeploymentView): Clock {
  const { honorsMinReadySeconds, soakSeconds } = options;
  const minReady = honorsMinReadySeconds ? (deployment.spec.minReadySeconds ?? 0) : 0;
  return { now, readySeconds: Math.max(minReady, soakSeconds) };
}

function strategyOf({ strategy }: MachineDeploymentSpec, onDelete: boolean): Strategy {
  const type = strategy?.type ?? 'RollingUpdate';
  return onDelete && type !== 'InPlaceUpdate' ? 'OnDelete' : type;
}

/** Another set may have the name that the template hashes to. */
function freeNameOf({ deployment, takenNames }: DeploymentView): string {
  for (const { name } of newSetNames(deployment)) if (!takenNames.has(name)) return name;
  throw new Error(`every name for a new set of ${deployment.metadata.name} is taken`);
}

function pendingMarks({ deployment, machines, now }: DeploymentView): Marks | undefined {
  const notes = deployment.metadata.annotations ?? {};
  const list = notes[annotations.triggerDeletion];
  if (list === undefined || !machines) return undefined;
  const marked = machines.map(({ metadata, status }) =>
    defined({
      name: metadata.name,
      isDeleting: metadata.deletionTimestamp !== undefined,
      phase: status?.currentStatus?.phase ?? '',
      priority: metadata.annotations?.[annotations.priority],
      mark: metadata.annotations?.[annotations.markedForDeletionTime],
    }),
  );
  return marksOf(list, marked, notes[annotations.lastScaledByAutoscaler] ?? timestamp(now));
}

function pendingGrants(
  { sets, options, repairs, now }: DeploymentView,
  bySet: Map<string, Machine[]>,
): Grant[] | undefined {
  const budget = options.replacementBudget ?? (repairs && Infinity);
  const hasBudget = budget !== undefined;
  const budgeted = sets.map(({ metadata, spec }) =>
    defined({
      name: metadata.name,
      replicas: spec.replicas ?? 0,
      granted: metadata.annotations?.[annotations.replacements]?.split(',').filter(Boolean),
      machines: (hasBudget ? (bySet.get(metadata.uid) ?? []) : [])
        .filter((machine) => machine.metadata.deletionTimestamp === undefined)
        .map((machine) => ({ name: machine.metadata.name, state: stateOf(machine, now) })),
    }),
  );
  const grants = grantsOf(budget, budgeted, repairs?.room);
  return grants.length === 0 ? undefined : grants;
}

function stateOf(machine: Machine, now: number): MachineState {
  if (isAvailable(machine)) return 'available';
  const fact = factOf(machine);
  if (!isFailed(fact)) return 'other';
  return isPreserved(fact, now) ? 'kept' : 'failed';
}

/** Nodes of one step: what is patched in a few seconds. */
const mostNodes = 100;

function unprotectedNodes({ sets, machines = [], nodes }: DeploymentView): string[] {
  if (!nodes.hasNodes || !nodes.protects) return [];
  const known = new Set(nodes.protectedNodes);
  const own = new Set(sets.map(({ metadata }) => metadata.uid));
  return machines
    .filter((machine) => own.has(controllerOf(machine)?.uid ?? ''))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(hasJoined)
    .flatMap((machine) => nodeOf(machine) ?? [])
    .filter((name) => !known.has(name))
    .slice(0, mostNodes);
}
