/**
 * One pass of a drain: cordon, ask the pods that may be asked, stay a little while something really
 * moves.
 *
 * A pass that cannot finish fails as benign and is tried again by Temporal, which writes no
 * history; the failure's message says what is in the way. The state for the next pass stands in the
 * heartbeat details, limits in the request.
 */
import type { DrainContext, PassRequest } from './context.ts';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { DrainOutcome, DrainRequest } from '../../workflows/contracts/drain-activities.ts';
import { labels } from '../../workflows/api/constants.ts';
import { hooksIn } from '../../workflows/api/deletion-hooks.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import {
  deadlineOf,
  pausesOfDrain,
  pausesOfNodes,
  unionOf,
  type Period,
} from '../../workflows/values/pauses.ts';
import { podKey } from '../../workflows/plan/drain/removals.ts';
import { inParallel } from '../runtime/parallel.ts';
import { failureOf, refused } from '../runtime/failures.ts';
import { isRefusal, isUnreachable, type KubeError } from '../../kube/client/errors.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { Budgets } from './budgets.ts';
import {
  cordonNode,
  isMarkedTerminating,
  OtherOwnersNode,
  NotGivenUp,
  protectNode,
  readOwnNode,
  requireGivenUp,
} from './drained-node.ts';
import { forceReason } from './force-reason.ts';
import { DrainOrders } from './orders.ts';
import { DrainPass } from './pass.ts';
import { podsToDrain } from './pods.ts';
import { progressOf, type DrainProgress } from './progress.ts';
import { remove, width } from './removal.ts';
import { DrainStatus } from './status.ts';
import { nowMs, sleep } from '../system/system.ts';
import type { DrainTime } from './context.ts';
import { timestamp } from '../../kube/objects/time.ts';

export async function drainNode(context: DrainContext, asked: DrainRequest): Promise<DrainOutcome> {
  const pauses = pausesOfDrain(context.pauses);
  const { countsFrom: from } = asked;
  const timeoutMs = Math.max(asked.deadline - from, 0);
  const deadline = deadlineOf({ from, timeoutMs }, pauses);
  const request = { ...asked, deadline, isMoved: deadline - asked.deadline >= 1_000 };
  const progress = progressAfter(pauses, progressOf(context.details, asked.earlier));
  if (context.isFirstAttempt) {
    for (const refusal of Object.values(progress.refusals)) refusal.nextTryAt = 0;
  }
  if (asked.skipsVolumeWait) delete progress.volumeWait;
  return await new Drain(context, request, progress).run();
}

const defaultForceLimitMs = 30_000;
const tooLate = 'its time is over (drainTimeout)';

class Drain {
  readonly #context: DrainContext;
  readonly #request: PassRequest;
  readonly #progress: DrainProgress;
  readonly #status: DrainStatus;
  #isReleased = false;

  constructor(context: DrainContext, request: PassRequest, progress: DrainProgress) {
    this.#context = context;
    this.#request = request;
    this.#progress = progress;
    this.#status = new DrainStatus(context, request, progress);
  }

  async run(): Promise<DrainOutcome> {
    try {
      const { control } = this.#context;
      const machine = this.#context.machine ?? (await requireGivenUp(control, this.#request));
      const why = this.#reasonToForce(machine);
      this.#takeWordOf(machine);
      if (await this.#isHeld(machine)) return { evictedPods: 0, isForced: false, isHeld: true };
      const orders = new DrainOrders(control, this.#request.machine, machine);
      const outcome = await (why === undefined ? this.#ask(orders) : this.#force(why));
      this.#context.drained?.(drainTimeOf(this.#request, outcome, machine));
      return this.#request.isForUpdate ? { ...outcome, isEmptied: true } : outcome;
    } catch (error) {
      if (this.#isReleased) await this.#protect();
      if (error instanceof NotGivenUp) return this.#refused(error);
      if (!(error instanceof OtherOwnersNode)) throw await this.#failed(error);
      if (!this.#request.isForUpdate) await this.#status.foreign(error.message);
      return { evictedPods: this.#progress.evicted, isForced: false };
    }
  }

  /** Else a client that can write to Temporal could request the Node of another Machine. */
  #takeWordOf(machine: Machine | undefined): void {
    const { nodeName } = this.#request;
    if (machine?.metadata.labels?.[labels.node] !== nodeName) delete this.#request.nodeUid;
  }

  /** A hook that comes once the Node says that it goes comes too late: pods were asked to leave. */
  async #isHeld(machine: Machine | undefined): Promise<boolean> {
    const { asksHooks = false, keepsNode = false } = this.#request;
    const isHeld = hooksIn(machine?.metadata.annotations)?.drain !== undefined;
    if (!asksHooks || keepsNode || !isHeld) return false;
    const node = await readOwnNode(this.#context, this.#request);
    return node === undefined || !isMarkedTerminating(node);
  }

  /** The label of a machine that is updated in place counts alone, and is not signalled. */
  #reasonToForce(machine: Machine | undefined): string | undefined {
    const { isForced, isForUpdate = false } = this.#request;
    const isLabelled = isForUpdate && machine?.metadata.labels?.[labels.forceDrain] === 'True';
    if (isForced || isLabelled) return 'force was asked for';
    return nowMs() >= this.#request.deadline ? tooLate : undefined;
  }

  /** Ends without an error: the next step reads the Machine as well. */
  #refused(error: NotGivenUp): DrainOutcome {
    this.#context.warn(error);
    return { evictedPods: this.#progress.evicted, isForced: false };
  }

  async #ask(orders: DrainOrders): Promise<DrainOutcome> {
    const node = await this.#reach({ isToGo: this.#request.removal !== undefined });
    const pauses = pausesOfNodes(this.#context.pauses);
    const sickness = node && forceReason(node, nowMs(), pauses);
    if (sickness !== undefined) return await this.#force(`of its Node ${sickness}`);
    const pass = new DrainPass({
      context: this.#context,
      request: this.#request,
      progress: this.#progress,
      status: this.#status,
      orders,
    });
    if ((await pass.run()) === 'tooLate') return await this.#force(tooLate);
    await this.#status.drained();
    this.#status.left(pass.late);
    return { evictedPods: this.#progress.evicted, isForced: false };
  }

  /** The Node of a preserved machine is closed by a taint already. */
  async #reach({ isToGo = false } = {}): Promise<Node | undefined> {
    const { keepsNode = false, isForUpdate = false } = this.#request;
    if (keepsNode && !isForUpdate) return await readOwnNode(this.#context, this.#request);
    const cordoned = await cordonNode(this.#context, this.#request, { isToGo, isForUpdate });
    this.#isReleased = cordoned?.isReleased ?? false;
    return cordoned?.node;
  }

  /** A pod came in between: its drain may take hours. */
  async #protect(): Promise<void> {
    try {
      await protectNode(this.#context, this.#request);
    } catch (error) {
      this.#context.warn(error);
    }
  }

  /**
   * One try within a time limit. Where the instance goes anyway, neither a pod that keeps a
   * finalizer, nor a webhook, nor a target cluster that does not answer keeps it alive.
   */
  async #force(why: string): Promise<DrainOutcome> {
    const { forceLimitMs = defaultForceLimitMs, signal } = this.#context;
    const failure = await within(forceLimitMs, this.#deletePods(why)).catch((error: unknown) => {
      const isPassedOver = !this.#request.keepsNode && !(error instanceof OtherOwnersNode);
      if (!isPassedOver || signal.aborted) throw error;
      return failureOf(error).message;
    });
    await this.#status.forced(why, failure);
    return { evictedPods: this.#progress.evicted, isForced: true };
  }

  /** Returns what went wrong with some of the pods. */
  async #deletePods(why: string): Promise<string | undefined> {
    await this.#reach();
    const { target } = this.#context;
    const pods = await podsToDrain(target, this.#request.nodeName);
    const budgets = new Budgets(target);
    this.#status.overrides(pods, why);
    const refusals: string[] = [];
    await inParallel(pods, width, async (pod) => {
      const outcome = await remove(target, { pod, by: 'deletion' }, budgets);
      if (!outcome.goes) refusals.push(`${podKey(pod)}: ${outcome.verdict.why}`);
    });
    this.#progress.evicted += pods.filter(({ goneBy }) => goneBy === undefined).length;
    await this.#status.overrode(pods, why, budgets);
    if (refusals.length === 0) return undefined;
    const named = refusals.toSorted().slice(0, 5).join('; ');
    const message = `${refusals.length} pods could not be deleted: ${named}`;
    const { keepsNode = false, isForUpdate = false } = this.#request;
    if (isForUpdate) throw new Error(message);
    if (keepsNode) throw undrained(message);
    return message;
  }

  /**
   * The error that the attempt fails with. A blocked pass has written its own message to the
   * Machine.
   */
  async #failed(error: unknown): Promise<unknown> {
    const isOurs = error instanceof ApplicationFailure || error instanceof CancelledFailure;
    if (isOurs || this.#context.signal.aborted) return error;
    // The Node stays, so there is a place to say why it still has pods.
    const { keepsNode = false, isForUpdate = false } = this.#request;
    if (keepsNode && !isForUpdate) return isRefusal(error) ? refused(error) : error;
    const since = this.#status.failingSince(error);
    const message = formatFailure(error, { since, deadline: this.#request.deadline });
    await this.#status.failed(message);
    this.#context.save(this.#progress);
    return failureOf(error, message);
  }
}

function undrained(message: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(message, 'Undrained');
  failure.stack = '';
  return failure;
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const end = new AbortController();
  const limit = sleep(milliseconds, { signal: end.signal }).then(() => {
    throw new Error(`the target cluster was not done within ${milliseconds / 1_000} s`);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    end.abort();
  }
}

/**
 * Counts anew from the end of the last pause: what nothing could be done about is neither refused
 * nor late. Nothing changes when it is done again.
 */
export function progressAfter(pauses: readonly Period[], progress: DrainProgress): DrainProgress {
  const end = unionOf(pauses).at(-1)?.until;
  if (end === undefined) return progress;
  const { refusals, volumeWait } = progress;
  for (const refusal of Object.values(refusals)) {
    if (refusal.since >= end) continue;
    refusal.since = end;
    refusal.nextTryAt = Math.min(refusal.nextTryAt, end);
  }
  if (!volumeWait || volumeWait.since >= end) return progress;
  const until = volumeWait.until + end - volumeWait.since;
  return { ...progress, volumeWait: { ...volumeWait, since: end, until } };
}

/** `machine`: as the last pass has read it; absent where it was gone already. */
function drainTimeOf(
  { countsFrom }: Pick<DrainRequest, 'countsFrom'>,
  { isForced }: Pick<DrainOutcome, 'isForced'>,
  machine: Machine | undefined,
): DrainTime {
  return {
    seconds: Math.max(nowMs() - countsFrom, 0) / 1_000,
    result: isForced ? 'forced' : 'drained',
    labels: machine?.metadata.labels ?? {},
  };
}

/** For a pass that could not do what it has to: what is wrong, since when, until when. */
function formatFailure(
  error: unknown,
  { since, deadline }: { since: number; deadline: number },
): string {
  const { message } = failureOf(error);
  const what = isUnreachable(error) ? `${clusterOf(error)} is out of reach: ${message}` : message;
  return `${what}; since ${timestamp(since)}, by force after ${timestamp(deadline)}`;
}

function clusterOf({ path }: KubeError): string {
  return path.startsWith('/apis/machine.sapcloud.io/')
    ? 'the control cluster'
    : 'the target cluster';
}
