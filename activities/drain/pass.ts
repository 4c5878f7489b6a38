import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { taints } from '../../workflows/api/constants.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { Closing, DrainPod, Removal, Removals } from '../../workflows/plan/drain/removals.ts';
import {
  evictionSeconds,
  isLate,
  longestRetrySeconds,
  nextTryOf,
  planRemovals,
  podKey,
} from '../../workflows/plan/drain/removals.ts';
import type { BudgetVerdict } from '../../workflows/plan/drain/budgets.ts';
import type { Blocker } from '../../workflows/plan/drain/report.ts';
import { blockersOf, digestOfBlockers, isStillGoing } from '../../workflows/plan/drain/report.ts';
import type { BlockedPod } from '../../workflows/plan/drain/wake-ups.ts';
import {
  afterListing,
  attachedTo,
  volumesAt,
  waitForGonePods,
} from '../../workflows/plan/drain/volumes.ts';
import { inParallel } from '../runtime/parallel.ts';
import { Budgets } from './budgets.ts';
import type { DrainContext, PassRequest } from './context.ts';
import { cordonTaint } from '../machine/node/cordon.ts';
import { readOwnNode } from './drained-node.ts';
import type { DrainOrders } from './orders.ts';
import { podsToDrain } from './pods.ts';
import type { DrainProgress } from './progress.ts';
import { remove, width } from './removal.ts';
import type { DrainStatus } from './status.ts';
import { volumesOf, volumesThatStay } from './volumes.ts';
import { formatDrain } from './messages.ts';
import { nowMs, random } from '../system/system.ts';

/**
 * While something moves, a pass stays and watches; longer waits are left to the retry. It ends
 * before it sends a heartbeat, which Temporal Cloud bills as it does the retry.
 */
const passMilliseconds = 14_000;
const defaultPodPollMs = 500;
/** Longer: where a volume moves is watched. */
const defaultVolumePollMs = 2_000;

/** A GET each; how soon what people ask ends a pass that runs. */
const defaultOrdersPollMs = 3_000;

const reportedMax = 10;

const usedUp = 'its evictions were refused for too long (maxEvictRetries)';

/** What one read of the Node found. */
interface RemainingPods {
  pods: DrainPod[];
  blockers: Blocker[];
  /** Waiting is worth while. */
  isMoving: boolean;
}

export interface PassOptions {
  context: DrainContext;
  request: PassRequest;
  progress: DrainProgress;
  status: DrainStatus;
  orders: DrainOrders;
}

export class DrainPass {
  readonly #context: DrainContext;
  readonly #request: PassRequest;
  readonly #progress: DrainProgress;
  readonly #status: DrainStatus;
  readonly #orders: DrainOrders;
  readonly #budgets: Budgets;
  #late: DrainPod[] = [];
  /** Pods that are refused together are asked again together. */
  readonly #random = random();

  constructor({ context, request, progress, status, orders }: PassOptions) {
    this.#context = context;
    this.#request = request;
    this.#progress = progress;
    this.#status = status;
    this.#orders = orders;
    this.#budgets = new Budgets(context.target);
  }

  /** Pods that came since the Node was closed, and hold nothing up. */
  get late(): readonly DrainPod[] {
    return this.#late;
  }

  /** Throws a benign failure when pods are left that may leave later. */
  async run(): Promise<'drained' | 'tooLate'> {
    const end = nowMs() + passMilliseconds;
    const { ordersPollMs = defaultOrdersPollMs } = this.#context;
    for (let isFirst = true; ; isFirst = false) {
      await this.#context.requireActiveWatcher();
      if (await this.#orders.haveChanged(ordersPollMs)) throw this.#supersededBy();
      if (nowMs() >= this.#request.deadline) return 'tooLate';
      const found = await this.#read({ isFirst });
      if (found.pods.length === 0 && !this.#progress.volumeWait) return 'drained';
      await this.#report(found);
      const mustReadAgain = this.#watchBudgets(found.pods) || found.isMoving;
      if (!mustReadAgain || nowMs() >= end) throw this.#stillThere(found, mustReadAgain);
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const { signal, attachments, watch } = this.#context;
    const { podPollMs = defaultPodPollMs, volumePollMs = defaultVolumePollMs } = this.#context;
    const { volumeWait } = this.#progress;
    if (volumeWait) await attachments.pause(volumeWait.volumes, volumePollMs, signal);
    else await watch.pause(podPollMs, signal);
  }

  /** Says which pods are blocked by a budget. Returns whether one of them may leave by now. */
  #watchBudgets(pods: DrainPod[]): boolean {
    const { refusals } = this.#progress;
    const blocked = pods.filter(
      ({ uid, goneBy }) => goneBy === undefined && refusals[uid]?.isOfBudget === true,
    );
    const since = Math.min(...blocked.map(({ uid }) => refusals[uid]?.since ?? Infinity));
    this.#context.watch.blocked(blocked.map(blockedPodOf), since);
    return this.#takeFreed();
  }

  #takeFreed(): boolean {
    const freed = this.#context.watch.takeFreed().flatMap((uid) => {
      return this.#progress.refusals[uid] ?? [];
    });
    for (const refusal of freed) refusal.nextTryAt = 0;
    // The attempt that takes over evicts them at once, too.
    if (freed.length > 0) this.#context.save(this.#progress);
    return freed.length > 0;
  }

  /**
   * While pods only terminate, a list of the API server's memory says whether there is something to
   * do.
   */
  async #read({ isFirst }: { isFirst: boolean }): Promise<RemainingPods> {
    this.#takeFreed();
    if (!isFirst) {
      await this.#followVolumes();
      const known = await this.#listPods({ mayBeOld: true });
      if (!this.#mustAct(known)) return this.#evaluate(known, new Set());
      await readOwnNode(this.#context, this.#request);
    }
    const pods = await this.#listPods();
    this.#forgetGone(pods);
    this.#forgetUnasked(pods);
    if (isFirst) await this.#followVolumes();
    return await this.#ask(pods);
  }

  async #listPods(options = {}): Promise<DrainPod[]> {
    const closing = this.#closing();
    const pods = await podsToDrain(this.#context.target, this.#request.nodeName, options);
    this.#late = pods.filter((pod) => isLate(pod, closing));
    return pods.filter((pod) => !isLate(pod, closing));
  }

  #closing(): Closing {
    const { keepsNode = false, isForUpdate = false } = this.#request;
    const taint = keepsNode && !isForUpdate ? taints.preserved : cordonTaint.key;
    this.#progress.closedAt ??= nowMs();
    return { taint, at: this.#progress.closedAt };
  }

  /** Nothing is asked, and no drain is over, by an old list. */
  #mustAct(pods: DrainPod[]): boolean {
    const { parallel, serial } = this.#removalsOf(pods);
    const isOver = pods.length === 0 && !this.#progress.volumeWait;
    return isOver || parallel.length + serial.length > 0;
  }

  #removalsOf(pods: DrainPod[]): Removals {
    const { refusals, volumeWait } = this.#progress;
    return planRemovals({
      pods,
      refusals,
      isVolumeAwaited: volumeWait !== undefined,
      patienceMilliseconds: this.#context.settings.pvDetachTimeoutSeconds * 1000,
      evictionMilliseconds: this.#evictionMilliseconds(),
      now: nowMs(),
    });
  }

  async #ask(pods: DrainPod[]): Promise<RemainingPods> {
    const removals = this.#removalsOf(pods);
    const left = new Set<string>();
    // The API server may wait for a webhook at each pod: the next pass asks those that are left.
    const end = nowMs() + passMilliseconds;
    await inParallel(removals.parallel, width, async (removal) => {
      if (nowMs() >= end) return;
      for (const { uid } of await this.#removeAlike(removal)) left.add(uid);
    });
    const gone = await this.#removeOne(removals.serial, pods, end);
    if (gone) left.add(gone.uid);
    if (pods.length === 0) await this.#noteVolumesLeft();
    return this.#evaluate(pods, left);
  }

  #evaluate(pods: DrainPod[], asked: Set<string>): RemainingPods {
    const { refusals, volumeWait } = this.#progress;
    const now = nowMs();
    const blockers = blockersOf({
      pods: pods.filter(({ uid }) => !asked.has(uid)),
      refusals,
      volumeWait,
      now,
    });
    const isGoing = pods.some((pod) => isStillGoing(pod, now));
    const isMoving =
      asked.size > 0 || isGoing || (volumeWait !== undefined && blockers.length === 0);
    return { pods, blockers, isMoving };
  }

  /** Only what changed is reported: a drain that is blocked for hours reports it once. */
  async #report({ blockers, pods }: RemainingPods): Promise<void> {
    const { volumeWait } = this.#progress;
    const { uid } = this.#request.machine;
    const deadline = this.#request.isMoved ? this.#request.deadline : undefined;
    // The attempt that takes over knows of no more blockers than were reported.
    const reported = blockers.slice(0, reportedMax);
    const report = defined({
      uid,
      podsLeft: pods.length,
      blockers: reported,
      blockerCount: blockers.length,
      volumeWait,
      deadline,
    });
    const news = digestOfBlockers(reported);
    const progress = this.#progress;
    const isNews = news !== progress.reported || deadline !== progress.reportedDeadline;
    if (isNews) {
      await this.#context.report(report);
      progress.reported = news;
      delete progress.reportedDeadline;
      if (deadline !== undefined) progress.reportedDeadline = deadline;
    }
    await this.#status.found(report);
    this.#context.save(this.#progress);
  }

  #forgetGone(pods: DrainPod[]): void {
    const present = new Set(pods.map(({ uid }) => uid));
    for (const uid of Object.keys(this.#progress.refusals)) {
      if (!present.has(uid)) delete this.#progress.refusals[uid];
    }
  }

  /**
   * The wait is written down before its pod is evicted: the process may have died in between, or
   * the eviction was refused.
   */
  #forgetUnasked(pods: DrainPod[]): void {
    const { volumeWait } = this.#progress;
    const pod = pods.find(({ uid }) => uid === volumeWait?.podUid);
    if (pod && pod.goneBy === undefined) delete this.#progress.volumeWait;
  }

  async #followVolumes(): Promise<void> {
    const { volumeWait } = this.#progress;
    if (!volumeWait) return;
    const { nodeName } = this.#request;
    const attachments = await this.#context.attachments.list();
    const next = afterListing(volumeWait, {
      nodeName,
      attachments,
      now: nowMs(),
      reattachSeconds: this.#context.settings.pvReattachTimeoutSeconds,
    });
    if (next) {
      this.#progress.volumeWait = next;
      return;
    }
    delete this.#progress.volumeWait;
    const stuck = attachedTo(nodeName, volumeWait.volumes, attachments);
    if (stuck.length > 0) (this.#progress.leftAttached ??= []).push(...stuck);
  }

  /** The instance goes next: it waits for what pods left attached that others had evicted. */
  async #noteVolumesLeft(): Promise<void> {
    const { volumeWait, leftAttached = [] } = this.#progress;
    const { nodeName, skipsVolumeWait, keepsNode } = this.#request;
    if (volumeWait || skipsVolumeWait || keepsNode) return;
    const { target, settings, attachments } = this.#context;
    const attached = volumesAt(nodeName, await attachments.list());
    for (const volume of leftAttached) attached.delete(volume);
    if (attached.size === 0) return;
    for (const volume of await volumesThatStay(target, nodeName, this.#late))
      attached.delete(volume);
    const limits = { now: nowMs(), detachSeconds: settings.pvDetachTimeoutSeconds };
    const wait = waitForGonePods([...attached], limits);
    if (!wait) return;
    this.#progress.volumeWait = wait;
    this.#context.save(this.#progress);
  }

  /**
   * Evicts one pod with volumes: the next waits until its volumes have moved. At least one is
   * asked, also after the end.
   */
  async #removeOne(
    removals: Removal[],
    pods: DrainPod[],
    end: number,
  ): Promise<DrainPod | undefined> {
    for (const removal of removals) {
      // Written down before, so that the attempt that takes over waits too.
      await this.#noteVolumes(removal.pod, pods);
      if (await this.#remove(removal)) return removal.pod;
      delete this.#progress.volumeWait;
      if (nowMs() >= end) return undefined;
    }
    return undefined;
  }

  async #noteVolumes(pod: DrainPod, pods: DrainPod[]): Promise<void> {
    const { target, settings, attachments } = this.#context;
    if (this.#request.skipsVolumeWait) return;
    const own = await volumesOf(target, pod, pods);
    if (own.length === 0) return;
    const volumes = attachedTo(this.#request.nodeName, own, await attachments.list());
    if (volumes.length === 0) return;
    const now = nowMs();
    const limitSeconds = pod.graceSeconds + settings.pvDetachTimeoutSeconds;
    this.#progress.volumeWait = {
      pod: podKey(pod),
      podUid: pod.uid,
      stage: 'detach',
      volumes,
      since: now,
      until: now + limitSeconds * 1000,
    };
    this.#context.save(this.#progress);
  }

  /** Returns those that go. */
  async #removeAlike({ pod, by, alike }: Removal): Promise<DrainPod[]> {
    const going: DrainPod[] = [];
    const line = [pod, ...alike];
    for (const [index, next] of line.entries()) {
      if (!(await this.#remove({ pod: next, by, alike: line.slice(index + 1) }))) break;
      going.push(next);
    }
    return going;
  }

  /** False when it was refused, and so those that are alike. */
  async #remove({ pod, by, alike }: Removal): Promise<boolean> {
    const outcome = await remove(this.#context.target, { pod, by }, this.#budgets);
    if (outcome.goes) {
      if (by === 'deletion') {
        this.#status.overrides([pod], usedUp);
        await this.#status.overrode([pod], usedUp, this.#budgets);
      }
      this.#progress.evicted += 1;
      delete this.#progress.refusals[pod.uid];
      return true;
    }
    const { verdict } = outcome;
    const now = nowMs();
    // Asked again together, so that one answer serves all of them.
    const refused = verdict.isOfBudget ? [pod, ...alike] : [pod];
    for (const one of refused) this.#noteRefusal(one, verdict, now);
    return false;
  }

  #noteRefusal({ uid }: DrainPod, verdict: BudgetVerdict, now: number): void {
    const { refusals } = this.#progress;
    const since = refusals[uid]?.since ?? now;
    const evictionMilliseconds = this.#evictionMilliseconds();
    const attempt = { now, random: this.#random, evictionMilliseconds };
    const nextTryAt = nextTryOf({ ...verdict, ...attempt, since });
    refusals[uid] = { ...verdict, since, nextTryAt };
  }

  #evictionMilliseconds(): number {
    const retries = this.#request.maxEvictRetries ?? this.#context.settings.maxEvictRetries;
    return retries * evictionSeconds * 1000;
  }

  /** Should the workflow not cancel the drain for it, it goes on a second later. */
  #supersededBy(): ApplicationFailure {
    const delay = 1_000;
    this.#context.watch.rest(delay, []);
    return benign('Draining', 'the Machine asks for something else by now', delay);
  }

  #stillThere({ pods, blockers }: RemainingPods, isSoon: boolean): ApplicationFailure {
    const { deadline } = this.#request;
    const isBlocked = blockers.length > 0;
    const delay = isSoon ? 1_000 : this.#untilNextPass(blockers);
    this.#context.watch.rest(delay, this.#progress.volumeWait?.volumes ?? []);
    const words = { podCount: pods.length, pods, blockers, late: this.#late, deadline };
    return benign(isBlocked ? 'DrainBlocked' : 'Draining', formatDrain(words), delay);
  }

  /**
   * Milliseconds. Until the first pod may be asked again, and not sooner: such a pass could ask
   * for nothing. For what cannot be asked, half as long as it has lasted, within limits.
   */
  #untilNextPass(blockers: Blocker[]): number {
    const now = nowMs();
    const longest = longestRetrySeconds * 1_000;
    const times = blockers.map(
      ({ since, nextTryAt }) =>
        nextTryAt ?? now + Math.min(Math.max((now - since) / 2, 5_000), longest),
    );
    if (times.length === 0) times.push(now + 20_000);
    const first = Math.min(...times);
    // Those that are due within a second go with it.
    const together = Math.max(...times.filter((time) => time <= first + 1_000));
    const next = Math.min(this.#request.deadline, together);
    return Math.max(next - now, 1_000);
  }
}

/** A pass that is over before its drain is. */
function benign(type: string, message: string, nextRetryDelay: number): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  const failure = ApplicationFailure.create({ type, message, category, nextRetryDelay });
  // The Temporal UI shows it in large, and it says nothing of use.
  failure.stack = '';
  return failure;
}

function blockedPodOf({ uid, namespace, labels, isReady }: DrainPod): BlockedPod {
  return { uid, namespace, labels, isReady };
}
