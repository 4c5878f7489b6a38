/** What a look at a MachineDeployment finds: a test says what matters to it, the rest is at rest. */
import type { DeploymentFacts, SetFacts } from '../../workflows/plan/rollout/facts.ts';

export function deploymentFacts(changes: Partial<DeploymentFacts> = {}): DeploymentFacts {
  return {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    faults: [],
    replicas: 3,
    strategy: 'RollingUpdate',
    maxSurge: 1,
    maxUnavailable: 0,
    isPaused: false,
    options: { faults: [], autoRollback: false },
    newSetName: 'pool-new',
    sets: [],
    hasNodes: false,
    protectsNodes: false,
    unprotectedNodes: [],
    hasProtectedNodes: false,
    progress: { reason: 'MachineSetUpdated', isOverdue: false, isComplete: false },
    ...changes,
  };
}

/** All its machines are available. */
export function setFacts(name: string, changes: Partial<SetFacts> = {}): SetFacts {
  const { replicas = 3 } = changes;
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    revision: 1,
    isFormer: false,
    isOfTemplate: false,
    isDeleting: false,
    isObserved: true,
    replicas,
    reported: replicas,
    hasFreshScaling: true,
    needsSync: false,
    machines: 'A'.repeat(replicas),
    going: 0,
    isTainted: false,
    isClosed: false,
    ...changes,
  };
}
