/**
 * One pass of a drain: cordon, ask the pods that may be asked, stay a little while something really moves.
 *
 * A pass that cannot finish fails as benign and is tried again by Temporal, which writes no history; the failure's message
 * says what is in the way. What the next pass needs stands in the heartbeat details, limits in the request.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { DrainOutcome, DrainReport, DrainRequest } from '../../workflows/activities.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import { podKey } from '../../workflows/plan/drain.ts';
import { inParallel } from '../in-parallel.ts';
import { refused } from '../failures.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Span } from '../kube/global-stop.ts';
import { isRefusal } from '../kube/errors.ts';
import type { Node } from '../machine/node.ts';
import { readNode } from '../machine/node.ts';
import { Budgets } from './budgets.ts';
import { closeNode, sicknessOf } from './drained-node.ts';
import { DrainPass } from './pass.ts';
import { podsToDrain } from './pods.ts';
import type { DrainProgress } from './progress.ts';
import type { PassWatch } from './freed-pods.ts';
import { progressOf } from './progress.ts';
import { deadlineAfter, progressAfter } from './after-stop.ts';
import { remove, width } from './removal.ts';
import type { WatchedAttachments } from './watched-attachments.ts';

export interface DrainContext {
  target: KubeClient;
  watch: PassWatch;
  attachments: Pick<WatchedAttachments, 'list' | 'pause'>;
  /** Of the activity: a drain is cancelled to change its mode. */
  signal: AbortSignal;
  settings: Pick<
    MachineDefaults,
    'maxEvictRetries' | 'pvDetachTimeoutSeconds' | 'pvReattachTimeoutSeconds'
  >;
  /** Fails while nothing may be destroyed. */
  requireLicence(): Promise<void>;
  /** When everything was stopped last: that time does not count. */
  lastStop: Span | undefined;
  /** Of the first attempt, milliseconds. */
  begunAt: number;
  /** What the attempt before left behind. */
  details: Partial<DrainProgress> | undefined;
  /** A reset counts as one: somebody wants it to try at once. */
  isFirstAttempt: boolean;
  save(progress: DrainProgress): void;
  /** Tells the workflow that other things are in the way than before, or nothing any more. */
  report(report: DrainReport): Promise<void>;
}

export async function drainNode(
  context: DrainContext,
  request: DrainRequest,
): Promise<DrainOutcome> {
  try {
    return await drain(context, request);
  } catch (error) {
    // The Node stays, so there is a place to say why it still has pods.
    throw request.keepsNode && isRefusal(error) ? refused(error) : error;
  }
}

async function drain(context: DrainContext, asked: DrainRequest): Promise<DrainOutcome> {
  const deadline = deadlineAfter(context.lastStop, {
    deadline: asked.deadline,
    from: context.begunAt,
  });
  const request = { ...asked, deadline };
  const progress = progressAfter(context.lastStop, progressOf(context.details, asked.earlier));
  if (context.isFirstAttempt) {
    for (const refusal of Object.values(progress.refusals)) refusal.nextTryAt = 0;
  }
  if (request.skipsVolumeWait) delete progress.volumeWait;
  const node = await reach(context, request);
  if (!node) return { evictedPods: progress.evicted, isForced: request.isForced };
  const isForced = request.isForced || sicknessOf(node, Date.now()) !== undefined;
  const outcome = isForced ? 'tooLate' : await new DrainPass(context, request, progress).run();
  if (outcome === 'drained') return { evictedPods: progress.evicted, isForced: false };
  const { count, refusals } = await deleteAll(context.target, request.nodeName);
  if (request.keepsNode) mustBeEmpty(refusals);
  return { evictedPods: progress.evicted + count, isForced: true };
}

/** A Node that stays is closed by a taint already. */
async function reach(
  { target, details }: DrainContext,
  { nodeName, keepsNode = false, earlier }: DrainRequest,
): Promise<Node | undefined> {
  if (keepsNode) return await readNode(target, nodeName);
  // Whoever comes later finds most of it done, and writes only what is not.
  const isFirstLook = details === undefined && earlier === undefined;
  return await closeNode(target, nodeName, { isFirstLook });
}

/** For whoever keeps the Node: where the instance goes anyway nobody has to know. */
function mustBeEmpty(refusals: string[]): void {
  if (refusals.length === 0) return;
  const message = `${refusals.length} pods could not be deleted: ${refusals.toSorted().slice(0, 5).join('; ')}`;
  const failure = ApplicationFailure.nonRetryable(message, 'Undrained');
  failure.stack = '';
  throw failure;
}

/**
 * Nobody is asked and nothing waited for: a pod that keeps a finalizer, or whose deletion a webhook refuses, does not keep the
 * instance alive.
 */
async function deleteAll(
  target: KubeClient,
  nodeName: string,
): Promise<{ count: number; refusals: string[] }> {
  const pods = await podsToDrain(target, nodeName);
  const budgets = new Budgets(target);
  const refusals: string[] = [];
  await inParallel(pods, width, async (pod) => {
    const outcome = await remove(target, { pod, by: 'deletion' }, budgets);
    if (!outcome.goes) refusals.push(`${podKey(pod)}: ${outcome.verdict.why}`);
  });
  return { count: pods.filter(({ goneBy }) => goneBy === undefined).length, refusals };
}
