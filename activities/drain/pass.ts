import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrainRequest } from '../../workflows/activities.ts';
import { defined } from '../../workflows/plan/defined.ts';
import type { DrainPod, Removal } from '../../workflows/plan/drain.ts';
import { evictionSeconds, nextTryOf, planRemovals, podKey } from '../../workflows/plan/drain.ts';
import type { BudgetVerdict } from '../../workflows/plan/drain-budgets.ts';
import type { Blocker } from '../../workflows/plan/drain-report.ts';
import { blockersOf, fingerprintOf, isStillGoing } from '../../workflows/plan/drain-report.ts';
import { afterLook, attachedTo } from '../../workflows/plan/drain-volumes.ts';
import { inParallel } from '../in-parallel.ts';
import { Budgets } from './budgets.ts';
import type { DrainContext } from './drain-node.ts';
import { podsToDrain } from './pods.ts';
import type { DrainProgress } from './progress.ts';
import { remove, width } from './removal.ts';
import { attachmentsIn, volumesOf } from './volumes.ts';
import { drainInWords } from './words.ts';

/** While something moves, a pass stays and watches; longer waits are left to the retry. */
const passMilliseconds = 15_000;
const pollMilliseconds = 500;
/** Lists of attachments are long. */
const volumePollMilliseconds = 2_000;

const reportedMax = 10;

/** What one look at the Node found. */
interface Look {
  pods: DrainPod[];
  blockers: Blocker[];
  /** Waiting is worth while. */
  isMoving: boolean;
}

export class DrainPass {
  readonly #context: DrainContext;
  readonly #request: DrainRequest;
  readonly #progress: DrainProgress;
  readonly #budgets: Budgets;

  constructor(context: DrainContext, request: DrainRequest, progress: DrainProgress) {
    this.#context = context;
    this.#request = request;
    this.#progress = progress;
    this.#budgets = new Budgets(context.target);
  }

  /** Throws a benign failure when pods are left that may leave later. */
  async run(): Promise<'drained' | 'tooLate'> {
    const end = Date.now() + passMilliseconds;
    for (;;) {
      await this.#context.requireLicence();
      if (Date.now() >= this.#request.deadline) return 'tooLate';
      const look = await this.#look();
      if (look.pods.length === 0 && !this.#progress.volumeWait) return 'drained';
      await this.#tell(look);
      if (!look.isMoving || Date.now() >= end) throw this.#stillThere(look);
      const pause = this.#progress.volumeWait ? volumePollMilliseconds : pollMilliseconds;
      await sleep(pause, undefined, { signal: this.#context.signal });
    }
  }

  async #look(): Promise<Look> {
    const { target, settings } = this.#context;
    const progress = this.#progress;
    const pods = await podsToDrain(target, this.#request.nodeName);
    this.#forgetGone(pods);
    await this.#followVolumes();
    const removals = planRemovals({
      pods,
      refusals: progress.refusals,
      isVolumeAwaited: progress.volumeWait !== undefined,
      patienceMilliseconds: settings.pvDetachTimeoutSeconds * 1000,
      evictionMilliseconds: this.#evictionMilliseconds(),
      now: Date.now(),
    });
    const left = new Set<string>();
    await inParallel(removals.parallel, width, async (removal) => {
      if (await this.#remove(removal)) left.add(removal.pod.uid);
    });
    const gone = await this.#removeOne(removals.serial, pods);
    if (gone) left.add(gone.uid);
    return this.#lookAt(pods, left);
  }

  #lookAt(pods: DrainPod[], asked: Set<string>): Look {
    const { refusals, volumeWait } = this.#progress;
    const now = Date.now();
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

  /** Only what changed is told: a drain that is blocked for hours tells it once. */
  async #tell({ blockers, pods }: Look): Promise<void> {
    // Whoever takes over knows of no more blockers than were reported.
    const reported = blockers.slice(0, reportedMax);
    const news = fingerprintOf(reported);
    if (news !== this.#progress.reported) {
      const { volumeWait } = this.#progress;
      const { uid } = this.#request.machine;
      const podsLeft = pods.length;
      const blockerCount = blockers.length;
      const report = { uid, podsLeft, blockers: reported, blockerCount, volumeWait };
      await this.#context.report(defined(report));
      this.#progress.reported = news;
    }
    this.#context.save(this.#progress);
  }

  #forgetGone(pods: DrainPod[]): void {
    const present = new Set(pods.map(({ uid }) => uid));
    for (const uid of Object.keys(this.#progress.refusals)) {
      if (!present.has(uid)) delete this.#progress.refusals[uid];
    }
  }

  async #followVolumes(): Promise<void> {
    const { volumeWait } = this.#progress;
    if (!volumeWait) return;
    const next = afterLook(volumeWait, {
      nodeName: this.#request.nodeName,
      attachments: await attachmentsIn(this.#context.target),
      now: Date.now(),
      reattachSeconds: this.#context.settings.pvReattachTimeoutSeconds,
    });
    if (next) this.#progress.volumeWait = next;
    else delete this.#progress.volumeWait;
  }

  /** The first that goes holds up those behind it. */
  async #removeOne(removals: Removal[], pods: DrainPod[]): Promise<DrainPod | undefined> {
    for (const removal of removals) {
      // Written down before, so that whoever takes over waits too.
      await this.#noteVolumes(removal.pod, pods);
      if (await this.#remove(removal)) return removal.pod;
      delete this.#progress.volumeWait;
    }
    return undefined;
  }

  async #noteVolumes(pod: DrainPod, pods: DrainPod[]): Promise<void> {
    const { target, settings } = this.#context;
    if (this.#request.skipsVolumeWait) return;
    const own = await volumesOf(target, pod, pods);
    if (own.length === 0) return;
    const volumes = attachedTo(this.#request.nodeName, own, await attachmentsIn(target));
    if (volumes.length === 0) return;
    const now = Date.now();
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

  /** False when it was refused. */
  async #remove(removal: Removal): Promise<boolean> {
    const outcome = await remove(this.#context.target, removal, this.#budgets);
    if (outcome.goes) this.#progress.evicted += 1;
    else this.#noteRefusal(removal.pod, outcome.verdict);
    return outcome.goes;
  }

  #noteRefusal({ uid }: DrainPod, verdict: BudgetVerdict): void {
    const { refusals } = this.#progress;
    const now = Date.now();
    const since = refusals[uid]?.since ?? now;
    const { isHopeless } = verdict;
    const evictionMilliseconds = this.#evictionMilliseconds();
    const random = Math.random();
    const nextTryAt = nextTryOf({ since, now, isHopeless, evictionMilliseconds, random });
    refusals[uid] = { ...verdict, since, nextTryAt };
  }

  #evictionMilliseconds(): number {
    const retries = this.#request.maxEvictRetries ?? this.#context.settings.maxEvictRetries;
    return retries * evictionSeconds * 1000;
  }

  #stillThere({ pods, blockers, isMoving }: Look): ApplicationFailure {
    const { deadline } = this.#request;
    const isBlocked = blockers.length > 0;
    const failure = ApplicationFailure.create({
      type: isBlocked ? 'DrainBlocked' : 'Draining',
      message: drainInWords({ podCount: pods.length, pods, blockers, deadline }),
      category: ApplicationFailureCategory.BENIGN,
      nextRetryDelay: isMoving ? '1s' : this.#untilNextPass(blockers),
    });
    // The Temporal UI shows it in large; it would tell nothing.
    failure.stack = '';
    return failure;
  }

  /** Milliseconds. Until the first pod may be asked again; for what nobody can ask, ever longer up to 20 s. */
  #untilNextPass(blockers: Blocker[]): number {
    const now = Date.now();
    const times = blockers.map(
      ({ since, nextTryAt }) => nextTryAt ?? now + Math.min(Math.max(now - since, 5_000), 20_000),
    );
    const next = Math.min(now + 20_000, this.#request.deadline, ...times);
    return Math.max(next - now, 1_000);
  }
}
