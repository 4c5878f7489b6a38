/**
 * The watching part of the front, which decides nothing: it signals the workflow of a
 * MachineDeployment of `cluster.k8s.io` when something of it has changed. One process of those that
 * serve a namespace leads.
 */
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { nowMs } from '../../activities/system/system.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { kubermatic } from '../../kube/client/paths.ts';
import type { ElectionOptions } from '../../kube/leases/election.ts';
import { Election } from '../../kube/leases/election.ts';
import { front } from '../../workflows/api/kubermatic-names.ts';
import { poolChanged, type PoolNews } from '../../workflows/contracts/messages.ts';
import type { WorkflowInput } from '../../workflows/contracts/references.ts';
import { keys } from '../../workflows/contracts/search-attributes.ts';
import type { RunTimeouts } from '../../workflows/contracts/run-memo.ts';
import { frontIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { clip, longestKeywordBytes, longestSummaryBytes } from '../../workflows/values/clip.ts';
import { runOptionsOf } from '../queue/delivery.ts';
import type { FrontSessionOptions } from './session.ts';
import { FrontSession } from './session.ts';
import { viewOfTheirs } from './views.ts';

export interface FrontWatcherOptions extends Omit<FrontSessionOptions, 'signal'> {
  temporal: Client;
  /** Id of the control cluster. */
  cluster: string;
  /** See `workflowIdOf`. */
  clusterName?: string | undefined;
  /** Of the workflows of the front. */
  taskQueue: string;
  timeouts: RunTimeouts;
  leaderElection: Pick<ElectionOptions, 'client' | 'identity' | 'isForced'> &
    Required<Pick<ElectionOptions, 'timing'>>;
  /** Calls `send` when it may go out: other namespaces send as well. */
  turn(send: () => Promise<void>): Promise<void>;
}

export interface FrontWatcher {
  /** Undefined for a leader that hears of everything, and for one that stands by. */
  whyNotReady(): string | undefined;
  isLeader(): boolean;
  /** Of the MachineDeployment that has waited longest for its signal; 0: none waits. */
  oldestPendingSeconds(): number;
  /** True while anything of theirs is served; undefined: not known, as to one that stands by. */
  hasMirrors(): boolean | undefined;
  /** The same as the API server has it. */
  readsMirrors(): Promise<boolean>;
  /** Hands over at once. */
  stop(): Promise<void>;
}

export function startFrontWatcher(options: FrontWatcherOptions): FrontWatcher {
  const { namespace, log } = options;
  const signal = createSignal(options);
  let session: FrontSession | undefined;
  const election = new Election({
    ...options.leaderElection,
    namespace,
    place: { resourceName: front.lease },
    isAlone: true,
    log,
    onElected() {
      log.info({ namespace, lease: front.lease }, 'leading');
      session = new FrontSession({
        ...options,
        signal: (pool, news) => options.turn(() => signal(pool, news)),
      });
    },
    onLost(reason) {
      log.error({ namespace, reason }, 'no longer leading');
      void session?.stop();
      session = undefined;
    },
  });
  return {
    whyNotReady: () => session?.whyNotReady(),
    isLeader: () => election.isLeader,
    hasMirrors: () => session?.hasMirrors(),
    readsMirrors: () => readsMirrors(options.control, namespace),
    oldestPendingSeconds: () => session?.oldestPendingSeconds() ?? 0,
    async stop() {
      await session?.stop();
      await election.stop();
      // A term may have begun in between.
      await session?.stop();
    },
  };
}

async function readsMirrors(control: KubeClient, namespace: string): Promise<boolean> {
  const path = kubermatic('machinedeployments', namespace);
  const { items } = await control.list<KubeObject>(path, { as: 'PartialObjectMetadata' });
  return items.some((one) => viewOfTheirs(one).isMirror);
}

/** A call that hangs would hold up all news of its MachineDeployment. */
const callTimeoutMs = 5_000;

function createSignal({
  temporal,
  namespace,
  cluster,
  clusterName,
  taskQueue,
  timeouts,
}: FrontWatcherOptions): FrontSessionOptions['signal'] {
  const runOptions = runOptionsOf(timeouts);

  async function signalOrStart(name: string, workflowId: string, news: PoolNews): Promise<void> {
    const input: WorkflowInput = { ref: { namespace, name }, cluster };
    await temporal.workflow.signalWithStart('front', {
      workflowId,
      args: [input],
      taskQueue,
      signal: poolChanged,
      signalArgs: [news],
      // A new object of the same name begins a new run; a run that goes on is only signalled.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      ...runOptions,
      staticSummary: clip(`mirrors MachineDeployment ${namespace}/${name}`, longestSummaryBytes),
      typedSearchAttributes: new TypedSearchAttributes([
        { key: keys.KubeCluster, value: clip(cluster, longestKeywordBytes) },
        { key: keys.KubeNamespace, value: clip(namespace, longestKeywordBytes) },
        { key: keys.MachineDeployment, value: clip(name, longestKeywordBytes) },
      ]),
    });
  }

  async function signalOnly(workflowId: string, news: PoolNews): Promise<void> {
    try {
      await temporal.workflow.getHandle(workflowId).signal(poolChanged, news);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  return (pool, { mayStart, ofNodes }) => {
    const news: PoolNews = { cluster, ...(ofNodes && { ofNodes }) };
    const workflowId = frontIdOf({ namespace, name: pool }, clusterName);
    return temporal.connection.withDeadline(nowMs() + callTimeoutMs, () =>
      mayStart ? signalOrStart(pool, workflowId, news) : signalOnly(workflowId, news),
    );
  };
}
