/** Objects as the API server has them, with the texts that Millwright writes. */
import type { Install } from '../../../cli/install/install.ts';
import { defaultTimeouts } from '../../../cli/install/install.ts';
import type { Machine, MachineStatus } from '../../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../../workflows/api/meta.ts';

export const now = Date.parse('2026-11-26T12:00:00Z');

/** So many minutes before now, as objects have it. */
export function minutesAgo(minutes: number): string {
  return new Date(now - minutes * 60_000).toISOString().replace('.000Z', 'Z');
}

export function metaOf(name: string, changes: Partial<ObjectMeta> = {}): ObjectMeta {
  return {
    name,
    namespace: 'shoot',
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    creationTimestamp: minutesAgo(15),
    ...changes,
  };
}

export interface Changes {
  metadata?: Partial<ObjectMeta>;
  spec?: Partial<Machine['spec']>;
  status?: MachineStatus;
}

/** Without a status: nobody has taken it up. */
export function aMachine(name: string, { metadata, spec, status }: Changes = {}): Machine {
  return {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'Machine',
    metadata: metaOf(name, metadata),
    spec: { class: { kind: 'MachineClass', name: 'small' }, ...spec },
    ...(status && { status }),
  };
}

export const running: MachineStatus = {
  currentStatus: { phase: 'Running', lastUpdateTime: minutesAgo(14) },
  lastOperation: {
    description: 'Machine a successfully joined the cluster',
    lastUpdateTime: minutesAgo(14),
    state: 'Successful',
    type: 'Create',
  },
};

/** A create that the cloud, or what is before it, has refused two minutes ago. */
export function refused(errorCode: string, message: string): MachineStatus {
  return {
    currentStatus: { phase: 'CrashLoopBackOff', lastUpdateTime: minutesAgo(14) },
    lastOperation: {
      description: `Cloud provider message - machine codes error: code = [${errorCode}] message = [${message}]`,
      errorCode,
      lastUpdateTime: minutesAgo(2),
      state: 'Failed',
      type: 'Create',
    },
  };
}

export function draining(description: string, errorCode?: string): Changes {
  return {
    metadata: { deletionTimestamp: minutesAgo(30), finalizers: ['machine'] },
    spec: { providerID: 'virtual:///a/i-1' },
    status: {
      currentStatus: { phase: 'Terminating', lastUpdateTime: minutesAgo(30) },
      lastOperation: {
        description,
        lastUpdateTime: minutesAgo(29),
        state: 'Failed',
        type: 'Delete',
        ...(errorCode !== undefined && { errorCode }),
      },
    },
  };
}

export function anInstall(changes: Partial<Install> = {}): Install {
  return {
    now,
    namespace: 'shoot',
    names: { name: '', clusterName: '', isFleet: false },
    deployments: [],
    sets: [],
    machines: [],
    classes: [],
    policies: [],
    stops: [],
    leases: [
      { namespace: 'shoot', name: 'millwright', holder: 'watcher-0', renewedAt: now, pauses: [] },
    ],
    processes: [],
    warnings: [],
    timeouts: defaultTimeouts,
    temporal: undefined,
    unread: [],
    ...changes,
  };
}
