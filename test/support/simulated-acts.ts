/** What MachineDeployment, MachineSets and machines do in one round of a simulated cluster. */
import type {
  DeploymentStep,
  NodeStep,
} from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { ObservedMachineSet } from '../../workflows/plan/machine-set/plan.ts';
import {
  batchLimit,
  nextBatchSize,
  planMachineSet,
} from '../../workflows/plan/machine-set/plan.ts';
import { countFailed, machinesToDelete } from '../../workflows/plan/machine-set/deletions.ts';
import type { Batch, Cluster, SimulatedMachine, SimulatedSet } from './simulated-cluster.ts';
import {
  aNewMachine,
  addSet,
  isGoing,
  mostOf,
  nextSerial,
  now,
  reportOf,
} from './simulated-cluster.ts';

/**
 * As the API server: a write that was planned for an earlier state of a set is refused. Returns
 * whether it was done.
 */
export function apply(cluster: Cluster, step: DeploymentStep): boolean {
  if ('resourceVersion' in step) return write(cluster, step);
  if (step.action === 'createSet') {
    const { name, replicas, revision } = step;
    const { template } = cluster.deployment;
    addSet(cluster, { name, template, revision, machines: [], replicas });
  } else if (step.action === 'deleteSets') {
    const doomed = cluster.sets.filter(({ name }) => step.names.includes(name));
    for (const set of doomed) deleteSet(set);
  } else {
    steer(cluster, step);
  }
  return true;
}

function steer({ deployment, sets }: Cluster, step: DeploymentStep): void {
  const { rolledBackFrom: _, ...options } = deployment.options;
  if (step.action === 'giveUp') {
    deployment.options = { ...options, rolledBackFrom: step.set };
  } else if (step.action === 'forgetGivenUp') {
    deployment.options = options;
  } else if (step.action === 'rollBack' || step.action === 'refuseRollback') {
    const from = step.action === 'rollBack' && sets.find(({ name }) => name === step.set);
    if (from) deployment.template = from.template;
    delete deployment.rollbackTo;
  } else {
    throw new Error(`a simulated cluster knows nothing of ${step.action}`);
  }
}

type Write = Extract<DeploymentStep, { resourceVersion: string }>;

function write(cluster: Cluster, step: Write): boolean {
  const set = cluster.sets.find(({ name }) => name === step.name);
  if (!set || String(set.resourceVersion) !== step.resourceVersion) return false;
  if (step.action === 'scaleSet') scale(cluster, set, step.replicas);
  if (step.action === 'syncSet') sync(cluster, set, step.revision);
  if (step.action === 'closeSet') set.isClosed = step.isClosed;
  set.resourceVersion = nextSerial(cluster);
  return true;
}

function scale(cluster: Cluster, set: SimulatedSet, replicas: number): void {
  if (set.replicas !== replicas) set.generation += 1;
  set.replicas = replicas;
  set.desired = cluster.deployment.replicas;
  set.max = mostOf(cluster);
}

function sync({ deployment }: Cluster, set: SimulatedSet, revision: number): void {
  if (revision !== set.revision) set.isFormer = true;
  set.revision = revision;
  set.notes = deployment.notes;
}

export function applyToNodes({ sets, protectedNodes }: Cluster, step: NodeStep): void {
  switch (step.action) {
    case 'taintNodes':
    case 'untaintNodes':
      sets
        .filter(({ name }) => name === step.set)
        .forEach((set) => (set.isTainted = step.action === 'taintNodes'));
      return;
    case 'protectNodes':
      step.nodes.forEach((name) => protectedNodes.add(name));
      return;
    case 'releaseNodes':
      protectedNodes.clear();
  }
}

export function letMachinesProgress(cluster: Cluster): void {
  for (const set of cluster.sets) {
    set.machines = set.machines.filter(
      (machine) => !isGoing(machine) || machine.rounds < cluster.pace.going,
    );
    const isBroken = cluster.broken.has(set.template);
    for (const machine of set.machines) turn(machine, nextPhase(cluster, machine, isBroken));
  }
}

function nextPhase({ pace }: Cluster, { phase, rounds }: SimulatedMachine, isBroken: boolean) {
  if (phase === '' || phase === 'CrashLoopBackOff') return 'Pending';
  if (phase !== 'Pending') return phase;
  if (isBroken) return rounds >= pace.creation ? 'Failed' : 'Pending';
  return rounds >= pace.boot ? 'Running' : 'Pending';
}

export function turn(machine: SimulatedMachine, phase: string): void {
  machine.rounds = machine.phase === phase ? machine.rounds + 1 : 0;
  machine.phase = phase;
}

export function letSetsAct(cluster: Cluster): void {
  for (const set of cluster.sets) {
    if (set.sleeps > 0) set.sleeps -= 1;
    else act(cluster, set);
    set.statuses.push(set.status);
  }
}

/** What was decided at one look is done in the next act: a slow set is seen in between. */
function act(cluster: Cluster, set: SimulatedSet): void {
  for (let left = cluster.pace.actions; left > 0; left -= 1) {
    if (set.batch) create(cluster, set, set.batch);
    else if (set.doomed) remove(set, set.doomed);
    else if (!look(cluster, set)) return;
  }
}

/**
 * False when there is nothing to do. A look reports what it sees, and that no batch of an earlier
 * spec is at work.
 */
function look(cluster: Cluster, set: SimulatedSet): boolean {
  set.status = reportOf(cluster, set);
  const survey = surveyOf(cluster, set);
  const { batchSize } = set;
  const step = planMachineSet({ observation: survey, createdSince: 0, batchSize }, now(cluster));
  switch (step.action) {
    case 'create':
      set.batch = { count: step.count, made: 0, basis: survey.desired };
      return true;
    case 'delete':
      set.doomed = step.names;
      return true;
    case 'release':
      cluster.sets = cluster.sets.filter((one) => one !== set);
      return false;
    case 'push':
    case 'preserve':
    case 'wait':
      return false;
  }
}

/**
 * A slow set makes half of what is left at a time, so that a change of its spec comes in the
 * middle.
 */
function create(cluster: Cluster, set: SimulatedSet, batch: Batch): void {
  const limit = limitOf(cluster, set, batch);
  const left = Math.max(limit - batch.made, 0);
  const count = cluster.pace.actions === Infinity ? left : Math.ceil(left / 2);
  for (let made = 0; made < count; made += 1) set.machines.push(aNewMachine(cluster, set));
  batch.made += count;
  if (batch.made < limit) return;
  delete set.batch;
  set.batchSize = nextBatchSize(set.batchSize);
}

/** Machines that a batch makes in all. */
export function limitOf({ pace }: Cluster, set: SimulatedSet, batch: Batch): number {
  if (pace.isDeaf) return batch.count;
  return set.isDeleting ? 0 : batchLimit(batch, set);
}

function remove(set: SimulatedSet, names: readonly string[]): void {
  delete set.doomed;
  for (const machine of set.machines.filter((one) => names.includes(one.name) && !isGoing(one))) {
    const present = set.machines.filter((one) => !isGoing(one)).length;
    machine.isReplaced = present <= set.replicas;
    turn(machine, 'Terminating');
  }
}

function surveyOf(cluster: Cluster, set: SimulatedSet): ObservedMachineSet {
  const { isDeleting, replicas, generation, machines } = set;
  const facts = { isDeleting, replicas, machines, now: now(cluster) };
  return {
    desired: {
      isDeleting,
      hasFinalizer: true,
      isOrphaning: false,
      generation,
      replicas,
      ...(set.isClosed && { frozenBy: 'node.machine.sapcloud.io/scale-up-disabled' }),
      faults: [],
    },
    total: machines.length,
    present: machines.filter((machine) => !isGoing(machine)).length,
    failed: countFailed(facts),
    toDelete: machinesToDelete(facts),
  };
}

/** A person deletes the first machines of a set that are not going away yet. */
export function deleteMachines(set: SimulatedSet, count: number): void {
  const present = set.machines.filter((machine) => !isGoing(machine));
  for (const machine of present.slice(0, count)) {
    machine.isReplaced = true;
    turn(machine, 'Terminating');
  }
}

/** As the API server: a deletion that waits for a finalizer is another generation. */
export function deleteSet(set: SimulatedSet): void {
  if (!set.isDeleting) set.generation += 1;
  set.isDeleting = true;
}
