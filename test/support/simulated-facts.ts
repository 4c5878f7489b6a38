/** What a MachineDeployment sees of a simulated cluster. */
import { unavailableOf, surgeOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import { refusalOf, currentHold } from '../../workflows/plan/machine-deployment/plan.ts';
import { isRollback } from '../../workflows/plan/machine-deployment/rollout/direction.ts';
import type {
  DeploymentFacts,
  ObservedDeployment,
  SetFacts,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import type {
  Counts,
  ProgressFacts,
} from '../../workflows/plan/machine-deployment/rollout/progress.ts';
import {
  progressingOf,
  progressOf,
} from '../../workflows/plan/machine-deployment/rollout/progress.ts';
import { orderForScaleDown } from '../../workflows/plan/machine-set/scale-down.ts';
import type { Cluster, SetStatus, SimulatedMachine, SimulatedSet } from './simulated-cluster.ts';
import {
  isGoing,
  isRunning,
  mostOf,
  newSetOf,
  millisecondsPerRound,
  now,
  specOf,
} from './simulated-cluster.ts';

/** Also writes the condition `Progressing`, as the look of the real one does. */
export function observe(cluster: Cluster): DeploymentFacts {
  const facts = lookAt(cluster);
  const { deployment } = cluster;
  const given = progressFactsOf(cluster, facts);
  const text = progressingOf(given);
  const known = deployment.condition;
  if (text) {
    const isSame = known?.reason === text.reason && known.message === text.message;
    const { isRenewed, ...words } = text;
    const updatedAt = known && isSame && !isRenewed ? known.updatedAt : now(cluster);
    deployment.condition = { ...words, updatedAt };
  }
  deployment.counts = given.counts;
  return { ...facts, progress: progressOf(given, deployment.condition) };
}

function lookAt(cluster: Cluster): ObservedDeployment {
  const { deployment, sets, hasNodes } = cluster;
  const spec = specOf(cluster);
  const { rollbackTo, historyLimit } = deployment;
  const running = sets.flatMap(({ machines }) => machines.filter(isRunning));
  const soaking = running.filter(({ rounds }) => rounds < cluster.pace.soak);
  const left = soaking.map(({ rounds }) => cluster.pace.soak - rounds);
  return {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    className: 'small',
    faults: [],
    replicas: deployment.replicas,
    strategy: deployment.strategy,
    maxSurge: surgeOf(spec),
    maxUnavailable: unavailableOf(spec),
    isPaused: deployment.isPaused,
    ...(rollbackTo !== undefined && { rollbackTo }),
    ...(historyLimit !== undefined && { historyLimit }),
    options: deployment.options,
    newSetName: freeNameOf(cluster),
    sets: sets.map((set) => setFactsOf(cluster, set)),
    ...(left.length > 0 && {
      nextAvailableAt: now(cluster) + Math.min(...left) * millisecondsPerRound,
    }),
    hasNodes,
    protectsNodes: true,
    unprotectedNodes: running
      .map(({ name }) => name)
      .filter((name) => !cluster.protectedNodes.has(name))
      .slice(0, 100),
    hasProtectedNodes: cluster.protectedNodes.size > 0,
  };
}

function freeNameOf({ deployment: { template }, sets }: Cluster): string {
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? template : `${template}.${count}`;
    if (sets.every(({ name }) => name !== free)) return free;
  }
}

function setFactsOf(cluster: Cluster, set: SimulatedSet): SetFacts {
  const { deployment, pace } = cluster;
  const isOfTemplate = set === newSetOf(cluster);
  const present = set.machines.filter((machine) => !isGoing(machine));
  const status = statusOf(cluster, set);
  return {
    name: set.name,
    uid: `uid-of-${set.name}`,
    resourceVersion: String(set.resourceVersion),
    revision: set.revision,
    isFormer: set.isFormer,
    isOfTemplate,
    isDeleting: set.isDeleting,
    isObserved: status.observedGeneration >= set.generation,
    replicas: set.replicas,
    reported: status.replicas,
    desired: set.desired,
    max: set.max,
    hasFreshScaling: set.desired === deployment.replicas && set.max === mostOf(cluster),
    needsSync: isOfTemplate && set.notes !== deployment.notes,
    machines: orderForScaleDown(present, now(cluster))
      .map(({ name }) =>
        letterOf(
          present.find((one) => one.name === name),
          pace.soak,
        ),
      )
      .join(''),
    going: set.machines.length - present.length,
    isTainted: set.isTainted,
    isClosed: set.isClosed,
  };
}

/** As old as the pace says. */
export function statusOf({ pace }: Cluster, { statuses, status }: SimulatedSet): SetStatus {
  return statuses.at(-1 - pace.statusLag) ?? statuses[0] ?? status;
}

function letterOf(machine: SimulatedMachine | undefined, soak: number): 'A' | 'R' | 'U' {
  if (!machine || !isRunning(machine)) return 'U';
  return machine.rounds >= soak ? 'A' : 'R';
}

function progressFactsOf(cluster: Cluster, facts: ObservedDeployment): ProgressFacts {
  const { deployment } = cluster;
  const newSet = facts.sets.find(({ isOfTemplate }) => isOfTemplate);
  const refusal = refusalOf(facts);
  const standstill = currentHold(facts, now(cluster));
  const { condition, deadlineSeconds } = deployment;
  return {
    ...(condition && { known: condition }),
    before: deployment.counts,
    counts: countsOf(cluster),
    wanted: facts.replicas,
    ...(newSet && { newSet: { ...newSet, isFormer: isRollback(facts, newSet) } }),
    ...(refusal && { refusal }),
    ...(standstill && { holdReason: standstill.reason }),
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    now: now(cluster),
  };
}

function countsOf(cluster: Cluster): Counts {
  const { sets } = cluster;
  const sum = (pick: (status: SetStatus) => number): number =>
    sets.reduce((total, set) => total + pick(statusOf(cluster, set)), 0);
  const newSet = newSetOf(cluster);
  return {
    replicas: sum(({ replicas }) => replicas),
    updatedReplicas: newSet ? statusOf(cluster, newSet).replicas : 0,
    readyReplicas: sum(({ ready }) => ready),
    availableReplicas: sum(({ available }) => available),
  };
}
