/** The check of entities joined with Temporal, and with the watcher's own way of telling. */
import type { WorkflowExecutionStatusName, WorkflowHandle, Client } from '@temporalio/client';
import { QueryNotRegisteredError, WorkflowNotFoundError } from '@temporalio/client';
import type { Dead, WorkflowRegistry, Living } from '../../activities/runtime/workflow-registry.ts';
import type { DeliveryOptions } from '../../watcher/queue/delivery.ts';
import { createDelivery } from '../../watcher/queue/delivery.ts';
import { dispatch } from '../../watcher/dispatch/dispatch.ts';
import { viewOfMachine } from '../../watcher/cache/machine-view.ts';
import { viewOfNode } from '../../watcher/cache/other-views.ts';
import { viewOfMachineDeployment, viewOfMachineSet } from '../../watcher/cache/set-view.ts';
import type { DispatchContext } from '../../watcher/dispatch/context.ts';
import { versionAt } from '../../watcher/dispatch/context.ts';
import type { Signal } from '../../watcher/dispatch/signal.ts';
import type { SignalName } from '../../workflows/contracts/messages.ts';
import { instanceMissing, objectQuery } from '../../workflows/contracts/messages.ts';
import type { WatchedChange } from '../../watcher/cache/store.ts';
import { Store } from '../../watcher/cache/store.ts';
import { vanishedNodeSignals } from '../../watcher/resync.ts';
import type { Resource } from '../../watcher/cache/views.ts';
import type { Install } from '../../workflows/contracts/task-queues.ts';
import { refOfWorkflowId, workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { WorkflowKind, WorkflowRef } from '../../workflows/plan/safety/lost-workflows.ts';
import { workflowKinds } from '../../workflows/plan/safety/lost-workflows.ts';
import type { Claimant } from './claims.ts';
import { lostClaim } from './claims.ts';
import { keys } from '../../workflows/contracts/search-attributes.ts';
import { sleep } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import type { Scope } from '../process/scope.ts';

export type BoardOptions = Claimant &
  Pick<DeliveryOptions, 'temporal' | 'timeouts' | 'creationTimeoutSeconds'>;

export function createWorkflowRegistry(options: BoardOptions): WorkflowRegistry {
  const { temporal, timeouts, creationTimeoutSeconds, ...claimant } = options;
  const { namespace, identity } = claimant;
  const { cluster, clusterName } = identity;
  const ofRuns = { timeouts, creationTimeoutSeconds };
  const deliver = createDelivery({ temporal, namespace, ...ofRuns, ...identity });
  const handleOf = ({ kind, name }: WorkflowRef) =>
    temporal.workflow.getHandle(workflowIdOf(kind, { namespace, name }, clusterName));

  return {
    async running() {
      const found: WorkflowRef[] = [];
      let replaced = 0;
      for await (const run of runsOfNamespace(temporal, namespace)) {
        const ref = refOf(run.workflowId, claimant);
        if (isLeftOver(run, claimant)) replaced += 1;
        else if (ref) found.push(ref);
      }
      return { running: found, replaced };
    },

    async endReplaced() {
      const found: Run[] = [];
      for await (const run of runsOfNamespace(temporal, namespace)) {
        if (isLeftOver(run, claimant)) found.push(run);
      }
      return await endRuns(temporal, claimant, found);
    },

    async closeReason(ref) {
      try {
        const { status } = await handleOf(ref).describe();
        return formatEnd(status.name);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        return 'was never started, or Temporal has forgotten it';
      }
    },

    async signalObserved(living, epoch) {
      for (const signal of lifeSignals(living, { namespace, cluster, epoch }))
        await deliver(signal);
    },

    async signalMissing(name, missing) {
      try {
        await handleOf({ kind: 'machine', name }).signal(instanceMissing, missing);
      } catch (error) {
        // A workflow that is started again is signalled by the next check.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },

    async signalGone(dead, epoch) {
      const { uid, isGone } = await knownTo(handleOf(dead));
      if (isGone) return 'it knows';
      if (uid === undefined)
        return 'it has not read its object yet: it will see that there is none';
      const context = { store: new Store(), namespace, cluster, epoch };
      await deliver(deathSignal(dead, uid, context));
      return undefined;
    },
  };
}

/**
 * A run that no worker can replay answers nothing: with the next signal it fails, and begins anew
 * (docs/decisions/0006-broken-histories.md).
 */
async function knownTo(handle: WorkflowHandle): Promise<{ uid?: string; isGone: boolean }> {
  try {
    return await handle.query(objectQuery);
  } catch (error) {
    if (!(error instanceof QueryNotRegisteredError)) throw error;
    return { uid: 'unknown', isGone: false };
  }
}

/** `machine/shoot/pool-a` -> the machine pool-a. Undefined for what is no entity of ours. */
export function refOf(
  workflowId: string,
  { namespace, identity }: Pick<Claimant, 'namespace'> & { identity: Pick<Install, 'clusterName'> },
): WorkflowRef | undefined {
  const ref = refOfWorkflowId(workflowId);
  const kind = workflowKinds.find((entity) => entity === ref?.kind);
  if (!kind || ref?.namespace !== namespace || ref.clusterName !== identity.clusterName) {
    return undefined;
  }
  return { kind, name: ref.name };
}

const alive = new Set<WorkflowExecutionStatusName>(['RUNNING', 'CONTINUED_AS_NEW', 'PAUSED']);

function formatEnd(status: WorkflowExecutionStatusName): string | undefined {
  if (alive.has(status)) return undefined;
  if (status === 'TERMINATED') return 'was terminated';
  return status === 'COMPLETED' ? 'had ended' : `ended as ${status}`;
}

type Where = Pick<DispatchContext, 'namespace' | 'cluster' | 'epoch'>;

/** Signals of dispatch to the object's own workflow when the object is seen for the first time. */
export function lifeSignals(living: Living, where: Where): Signal[] {
  const context: DispatchContext & { store: Store } = { store: new Store(), ...where };
  if (living.kind === 'machine' && living.node) {
    context.store.apply(first({ resource: 'nodes', object: viewOfNode(living.node) }));
  }
  if (living.kind === 'machine' && living.set) {
    context.store.apply(changeOf({ kind: 'machineSet', object: living.set }));
  }
  const change = changeOf(living);
  context.store.apply(change);
  const { kind, object } = living;
  const isNodeKnown = living.kind !== 'machine' || !living.isNodeUnknown;
  const vanished = isNodeKnown ? vanishedNodeSignals(context, '0') : [];
  const own = [...dispatch(change, context), ...vanished];
  return own.filter((signal) => signal.kind === kind && signal.object === object.metadata.name);
}

function changeOf(living: Living): WatchedChange {
  switch (living.kind) {
    case 'machine':
      return first({ resource: 'machines', object: viewOfMachine(living.object) });
    case 'machineSet':
      return first({ resource: 'machineSets', object: viewOfMachineSet(living.object) });
    case 'machineDeployment':
      return first({
        resource: 'machineDeployments',
        object: viewOfMachineDeployment(living.object),
      });
  }
}

function first<Part extends { object: { resourceVersion: string } }>(part: Part) {
  const { resourceVersion } = part.object;
  return { ...part, type: 'live' as const, previous: undefined, resourceVersion, isNews: true };
}

const ends: Record<WorkflowKind, { name: SignalName; resource: Resource }> = {
  machine: { name: 'machineGone', resource: 'machines' },
  machineSet: { name: 'machineSetGone', resource: 'machineSets' },
  machineDeployment: { name: 'machineDeploymentGone', resource: 'machineDeployments' },
};

function deathSignal(
  { kind, name: object, resourceVersion }: Dead,
  uid: string,
  context: DispatchContext,
) {
  const { name, resource } = ends[kind];
  const payload = { ...versionAt(context, resourceVersion), uid };
  return { kind, object, name, payload, cause: { resource, resourceVersion } };
}

export interface Run {
  workflowId: string;
  runId: string;
  taskQueue: string;
  /** Search attribute `KubeCluster`. */
  cluster: string | undefined;
}

const types = '("machine", "machineSet", "machineDeployment", "machineClass", "secret")';
const pageSize = 1_000;

/** Runs for objects of our namespace, of any install. The list may lag behind by seconds. */
async function* runsOfNamespace(
  temporal: Client,
  namespace: string,
  condition = '',
): AsyncGenerator<Run> {
  const query = `KubeNamespace="${namespace}" AND ExecutionStatus="Running" AND WorkflowType IN ${types}${condition}`;
  for await (const info of temporal.workflow.list({ query, pageSize })) {
    const { workflowId, runId, taskQueue, typedSearchAttributes } = info;
    yield { workflowId, runId, taskQueue, cluster: typedSearchAttributes.get(keys.KubeCluster) };
  }
}

/** Only for who holds the claims. */
export function isLeftOver(run: Run, { identity, namespace }: Claimant): boolean {
  const ref = refOfWorkflowId(run.workflowId);
  if (ref?.namespace !== namespace) return false;
  if (ref.clusterName === identity.clusterName) return run.taskQueue !== identity.taskQueue;
  return run.cluster === identity.cluster;
}

/**
 * Ends the runs for objects of our namespace that no worker serves any more: of a control cluster
 * or an install that was replaced, or under a cluster name that is not used any more. They would
 * swallow the signals for the objects that there are now, so this comes before a watcher signals
 * anything. The holder of the claims may do it: docs/decisions/0009-install-identity.md. Their
 * instances stay; a new run reads how far things are. Returns how many there were.
 */
export async function endLeftOverRuns(
  temporal: Client,
  claimant: Claimant & { takeOver: readonly string[] },
): Promise<number> {
  const { identity, namespace, takeOver } = claimant;
  // Another cluster name of the same install is the same queue; it takes a --take-over.
  const condition = takeOver.length > 0 ? '' : ` AND TaskQueue != "${identity.taskQueue}"`;
  const found: Run[] = [];
  for await (const run of runsOfNamespace(temporal, namespace, condition)) {
    if (isLeftOver(run, claimant)) found.push(run);
  }
  return await endRuns(temporal, claimant, found);
}

/** The install before reads its claims once a minute; two such, seldom enough for a fleet. */
const searchesAfterMs = [5_000, 10_000, 15_000, 30_000, 60_000];
const leaderEveryMs = 1_000;

interface Followed {
  scope: Pick<Scope, 'add'>;
  log: Pick<Logger, 'info' | 'warn'>;
  watcher: { isLeader(): boolean; noteOthersRuns(): void };
  afterMs?: readonly number[];
}

/**
 * The install before runs on until it has read that its claims are gone, and lists of runs lag
 * behind: what it begins after `endLeftOverRuns` takes the first signals for those objects, and no
 * worker acts on them. So a watcher that took over searches again while it is new as leader.
 */
export function followLeftOverRuns(
  temporal: Client,
  claimant: Claimant,
  { scope, log, watcher, afterMs = searchesAfterMs }: Followed,
): void {
  const ending = new AbortController();
  const options = { signal: ending.signal, keepsAlive: false };
  const search = async (): Promise<void> => {
    // Those under another cluster name have other ids: they take no signals.
    const ended = await endLeftOverRuns(temporal, { ...claimant, takeOver: [] });
    if (ended === 0) return;
    log.info({ ended }, 'runs of the install before had ids of ours: all is signalled again');
    watcher.noteOthersRuns();
  };
  const follow = async (): Promise<void> => {
    for (const wait of afterMs) {
      await sleep(wait, options);
      while (!watcher.isLeader()) await sleep(leaderEveryMs, options);
      await search().catch((err: unknown) => {
        log.warn({ err }, 'runs of the install before cannot be searched for');
      });
    }
  };
  void follow().catch(() => undefined);
  scope.add('runs of the install before', () => ending.abort());
}

async function endRuns(
  temporal: Client,
  claimant: Claimant,
  runs: readonly Run[],
): Promise<number> {
  if (runs.length === 0) return 0;
  const lost = await lostClaim(temporal, claimant);
  if (lost) throw new Error(`the claim ${lost.workflowId} is not ours any more`);
  const { cluster, name } = claimant.identity;
  for (const { workflowId, runId } of runs) {
    try {
      const reason = `left over: install ${name} of control cluster ${cluster} serves the namespace now`;
      await temporal.workflow.getHandle(workflowId, runId).terminate(reason);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
  return runs.length;
}
