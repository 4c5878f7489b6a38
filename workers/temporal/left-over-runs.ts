/**
 * Runs for objects of our namespace that no worker serves any more: of a control cluster or an
 * install that was replaced, or under a cluster name that is not used any more. They would swallow
 * the signals for the objects that there are now. Who holds the claims may end them:
 * docs/decisions/0009-install-identity.md. Their instances stay; a new run reads how far things
 * are.
 */
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { refOfWorkflowId } from '../../workflows/contracts/workflow-ids.ts';
import { keys } from '../../workflows/contracts/search-attributes.ts';
import { sleep } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import type { Scope } from '../process/scope.ts';
import { lostClaim } from './claims.ts';
import type { Claimant } from './claims.ts';

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
export async function* runsOfNamespace(
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
 * Before a watcher signals anything: a signal to a run that is left over is lost. Returns how many
 * there were.
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

export async function endRuns(
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
