/**
 * One pass of a drain: cordon, ask the pods that may be asked, stay a little while something really moves.
 *
 * A pass that cannot finish fails as benign and is tried again by Temporal, which writes no history; the failure's message
 * says what is in the way. What the next pass needs stands in the heartbeat details, limits in the request.
 */
import type { DrainOutcome, DrainReport, DrainRequest } from '../../workflows/activities.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import { inParallel } from '../in-parallel.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Span } from '../kube/global-stop.ts';
import { Budgets } from './budgets.ts';
import { closeNode, sicknessOf } from './drained-node.ts';
import { DrainPass } from './pass.ts';
import { podsToDrain } from './pods.ts';
import type { DrainProgress } from './progress.ts';
import { progressOf } from './progress.ts';
import { deadlineAfter, progressAfter } from './after-stop.ts';
import { remove, width } from './removal.ts';

export interface DrainContext {
  target: KubeClient;
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

export async function drainNode(context: DrainContext, asked: DrainRequest): Promise<DrainOutcome> {
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
  const node = await closeNode(context.target, request.nodeName);
  if (!node) return { evictedPods: progress.evicted, isForced: request.isForced };
  const isForced = request.isForced || sicknessOf(node, Date.now()) !== undefined;
  const outcome = isForced ? 'tooLate' : await new DrainPass(context, request, progress).run();
  if (outcome === 'drained') return { evictedPods: progress.evicted, isForced: false };
  const deleted = await deleteAll(context.target, request.nodeName);
  return { evictedPods: progress.evicted + deleted, isForced: true };
}

/**
 * Nobody is asked and nothing waited for: a pod that keeps a finalizer, or whose deletion a webhook refuses, does not keep the
 * instance alive.
 */
async function deleteAll(target: KubeClient, nodeName: string): Promise<number> {
  const pods = await podsToDrain(target, nodeName);
  const budgets = new Budgets(target);
  await inParallel(pods, width, async (pod) => {
    await remove(target, { pod, by: 'deletion' }, budgets);
  });
  return pods.filter(({ goneBy }) => goneBy === undefined).length;
}
