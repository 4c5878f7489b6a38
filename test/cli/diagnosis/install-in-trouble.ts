/** A rollout that a blocked drain and a class hold up: what docs/cli.md shows. */
import type { Install } from '../../../cli/install/install.ts';
import type { Lifecycle } from '../../../cli/timeline/step.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { anInstall, aMachine, draining, metaOf, minutesAgo, now, refused } from './objects.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';

const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `uid-of-${name}` }],
});

export function aBlockedDrain(): Machine {
  const { metadata, spec, status } = draining(
    'Drain failed due to - 1 pod left: web/shop-1: PodDisruptionBudget web/shop: The disruption budget shop needs 3 healthy pods and has 3 currently. Will retry in next sync. Initiate node drain',
  );
  const meta = {
    ...metadata,
    ...ownedBy('MachineSet', 'pool-1'),
    creationTimestamp: minutesAgo(4_500),
  };
  return aMachine('pool-1-b', {
    metadata: meta,
    spec: { ...spec },
    ...(status && { status: { ...status, ...nodeOf('pool-1-b') } }),
  });
}

function nodeOf(name: string) {
  return {
    conditions: [{ type: 'Ready', status: 'True' as const }],
    nodeRef: { kind: 'Node', name },
  };
}

function joined(name: string, set: string, { createdAgo, tookMinutes }: Record<string, number>) {
  const lastUpdateTime = minutesAgo((createdAgo ?? 0) - (tookMinutes ?? 0));
  return aMachine(name, {
    metadata: { ...ownedBy('MachineSet', set), creationTimestamp: minutesAgo(createdAgo ?? 0) },
    spec: { providerID: `virtual:///a/${name}` },
    status: {
      ...nodeOf(name),
      currentStatus: { phase: 'Running', lastUpdateTime },
      lastOperation: {
        description: `Machine ${name} successfully joined the cluster`,
        lastUpdateTime,
        state: 'Successful',
        type: 'Create',
      },
    },
  });
}

function aSet(name: string, { replicas, revision }: { replicas: number; revision: string }) {
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: metaOf(name, {
      ...ownedBy('MachineDeployment', 'pool'),
      annotations: { 'deployment.kubernetes.io/revision': revision },
      creationTimestamp: minutesAgo(revision === '1' ? 4_500 : 38),
    }),
    spec: { replicas },
  } satisfies MachineSet;
}

export function anInstallInTrouble(): Install {
  const pool: MachineDeployment = {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: metaOf('pool', { creationTimestamp: minutesAgo(4_500) }),
    spec: {
      replicas: 4,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { spec: { class: { name: 'small' } } },
    },
    status: {
      conditions: [{ type: 'Progressing', status: 'True', reason: 'MachineSetUpdated' }],
    },
  };
  return anInstall({
    deployments: [pool],
    sets: [
      aSet('pool-1', { replicas: 1, revision: '1' }),
      aSet('pool-2', { replicas: 3, revision: '2' }),
    ],
    machines: [
      joined('pool-1-a', 'pool-1', { createdAgo: 4_500, tookMinutes: 4 }),
      aBlockedDrain(),
      joined('pool-2-a', 'pool-2', { createdAgo: 38, tookMinutes: 3 }),
      joined('pool-2-b', 'pool-2', { createdAgo: 34, tookMinutes: 4 }),
      aMachine('pool-2-c', {
        metadata: { ...ownedBy('MachineSet', 'pool-2'), creationTimestamp: minutesAgo(7) },
        status: refused('ResourceExhausted', 'zone "a" has no more capacity for size "small"'),
      }),
    ],
    temporal: { address: 'temporal:7233', namespace: 'machines', pollers: { q: 2 }, tookMs: 4 },
  });
}

/** Of a machine that has come and gone. */
export function aLifecycle(): Lifecycle {
  const from = now - 30 * 60_000;
  const at = (minutes: number): number => from + minutes * 60_000;
  const once = { times: 1 };
  return {
    from,
    until: at(24.5),
    state: 'completed',
    source: 'Temporal',
    runs: 1,
    steps: [
      { kind: 'write', name: 'readAndClaimMachine', start: at(0), end: at(0.001), ...once },
      {
        kind: 'activity',
        name: 'createInstance',
        start: at(0),
        end: at(0.6),
        attempts: 1,
        ...once,
      },
      {
        kind: 'wait',
        name: 'Node pool-1-a has not joined yet',
        start: at(0.6),
        end: at(3),
        ...once,
      },
      { kind: 'write', name: 'recordJoined', start: at(3), end: at(3.001), attempts: 1, ...once },
      {
        kind: 'write',
        name: 'beginTeardown',
        start: at(14),
        end: at(14.001),
        attempts: 1,
        ...once,
      },
      { kind: 'activity', name: 'drainNode', start: at(14), end: at(24.4), attempts: 31, ...once },
      {
        kind: 'write',
        name: 'finishTeardown',
        start: at(24.4),
        end: at(24.5),
        attempts: 1,
        ...once,
      },
    ],
    notes: [],
  };
}
