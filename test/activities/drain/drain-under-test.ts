/** A drain in memory: attempts on one cluster, each of which gets what the one before left. */
import type { DrainContext } from '../../../activities/drain/context.ts';
import { drainNode } from '../../../activities/drain/drain-node.ts';
import type { InlineDeletions } from '../../../activities/drain/machine-removal.ts';
import type { PassWatch } from '../../../activities/drain/wake-ups/freed-pods.ts';
import type { DrainProgress } from '../../../activities/drain/progress.ts';
import { newsIn } from '../../../activities/drain/progress.ts';
import { WatchedAttachments } from '../../../activities/drain/wake-ups/watched-attachments.ts';
import { pause } from '../../../kube/client/pause.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type {
  DrainReport,
  DrainRequest,
  MachineRemoval,
} from '../../../workflows/contracts/drain-activities.ts';
import { contractVersion } from '../../../workflows/contracts/driver-activities.ts';
import type { LastOperation, Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf } from '../../support/world.ts';

/** Of the machine pool-a, and of the Node that `aNode` makes. */
export const providerID = 'local:///zone-1/i-1';

export const request: DrainRequest = {
  machine: lifeOf('pool-a'),
  nodeName: 'pool-a',
  providerID,
  deadline: Date.now() + 3_600_000,
  isForced: false,
  countsFrom: Date.now(),
};

/** Of the same machine, once it is drained. */
export const removal: MachineRemoval = {
  deletion: {
    contractVersion,
    machine: request.machine,
    cluster: 'cluster-1',
    className: 'small',
    provider: 'virtual',
    token: 'uid-of-pool-a-0',
    providerID,
    isRetry: false,
  },
  finish: { machine: request.machine, nodeName: 'pool-a', nodeUid: 'uid-of-pool-a', providerID },
};

/** No budget ever changes. */
export const noWatch: PassWatch = {
  blocked: () => undefined,
  takeFreed: () => [],
  pause: (milliseconds, signal) => pause(milliseconds, signal),
  rest: () => undefined,
};

/** The driver is another process's. */
export const noDeletions: InlineDeletions = {
  serves: () => false,
  deleteInstance: () => undefined,
};

export class Drain {
  readonly control = new InMemoryClient(
    aMachine({
      phase: 'Terminating',
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    }),
  );
  readonly target: InMemoryClient;
  readonly warnings: unknown[] = [];
  readonly reports: DrainReport[] = [];
  progress: DrainProgress | undefined;
  attempt = 0;
  heartbeats = 0;
  #news = '';

  constructor(target: InMemoryClient) {
    this.target = target;
  }

  run(
    changes: Partial<DrainRequest> = {},
    settings: Partial<DrainContext['settings']> = {},
    parts: Partial<DrainContext> = {},
  ) {
    this.attempt += 1;
    const context: DrainContext = {
      control: this.control,
      target: this.target,
      watch: noWatch,
      attachments: new WatchedAttachments({ target: this.target, onError: () => undefined }),
      signal: new AbortController().signal,
      settings: {
        maxEvictRetries: 360,
        pvDetachTimeoutSeconds: 120,
        pvReattachTimeoutSeconds: 90,
        ...settings,
      },
      requireActiveWatcher: async () => undefined,
      pauses: [],
      details: this.progress,
      isFirstAttempt: this.attempt === 1,
      // As the activity sends it.
      save: (progress) => {
        const news = newsIn(progress);
        if (news === this.#news) return;
        this.#news = news;
        this.heartbeats += 1;
        this.progress = structuredClone(progress);
      },
      report: async (report) => {
        this.reports.push(report);
      },
      warn: (error) => {
        this.warnings.push(error);
      },
      // A pod leaves the in-memory API server at once: nothing is worth a wait.
      podPollMs: 5,
      volumePollMs: 5,
      ...parts,
    };
    return drainNode(context, { ...request, ...changes });
  }

  /** What the Machine says. */
  async operation(): Promise<LastOperation | undefined> {
    const path = customResource('machines', namespace, 'pool-a');
    return (await this.control.read<Machine>(path)).status?.lastOperation;
  }

  /** How often that was written. */
  operations(): number {
    return this.control.writes().filter((call) => call.endsWith('/machines/pool-a/status')).length;
  }

  evictions(): number {
    return this.target.writes().filter((call) => call.endsWith('/eviction')).length;
  }

  has(name: string): boolean {
    return this.target.has(podPath(name));
  }
}

export const podPath = (name: string): string => namespaced('pods', 'default', name);

export const refusal = {
  code: 429,
  reason: 'TooManyRequests',
  details: { causes: [{ message: 'The disruption budget web needs 1 healthy pods and has 1' }] },
};

export function blocking(...objects: object[]): Drain {
  const target = new InMemoryClient(aNode(), ...objects);
  target.fault = ({ path }) => (path.endsWith('/eviction') ? refusal : undefined);
  return new Drain(target);
}

export function aBudget(name: string, status: object = {}): object {
  return {
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default', generation: 1 },
    spec: { selector: {} },
    status: { observedGeneration: 1, expectedPods: 1, currentHealthy: 0, ...status },
  };
}
