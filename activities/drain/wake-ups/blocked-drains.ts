/**
 * Wakes blocked drains when a PodDisruptionBudget changes, or a volume that they wait for moves. A
 * drain that is blocked is a failed attempt of its activity, which Temporal tries again some time
 * later; those whose pass this process ran last are remembered here until then.
 *
 * Nothing depends on it: a process that dies forgets them, and their next attempt comes all the
 * same.
 */
import type { BlockedPod, Wake } from '../../../workflows/plan/drain/wake-ups.ts';
import { budgetNames, chanceOf, wakesOf } from '../../../workflows/plan/drain/wake-ups.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { PassWatch } from './freed-pods.ts';
import { FreedPods } from './freed-pods.ts';
import type { DrainRef } from './pending-drains.ts';
import { WatchedBudgets } from './watched-budgets.ts';
import type { Timer } from '../../system/system.ts';
import { after, random, sleep } from '../../system/system.ts';

export interface BlockedDrainsOptions {
  target: KubeClient;
  /**
   * Begins the next attempt of a drain at once, unless `isUnderWay` by then. Throws when that
   * cannot be done.
   */
  wake(drain: DrainRef, isUnderWay: () => boolean): Promise<void>;
  /** A watch broke, or a drain could not be woken: it goes on later by itself. */
  onError(error: unknown): void;
  /** A drain that was woken has tried by then; others may go instead. Default 5 s. */
  claimMs?: number;
}

interface Blocked {
  ref: DrainRef;
  since: number;
  pods: BlockedPod[];
  /** Names of PersistentVolumes that the next pass waits for. */
  volumes: readonly string[];
  triedIn: Map<string, string>;
  /** While a pass runs here. */
  running?: FreedPods;
  /** Names of budgets for which it was woken, until it has tried. */
  claims?: ReadonlySet<string>;
  /** Ends the claims, or forgets it. */
  timer?: Timer;
}

/** Events of one change come together. */
const settleMs = 20;
const defaultClaimMs = 5_000;
/**
 * After the time of its next attempt a drain that has not come back is with another process, or
 * over.
 */
const graceMs = 10_000;
/** Drains that wake together are spread, each over so much more, and all over a second. */
const spreadMs = 20;
const spreadMaxMs = 1_000;
/** Nothing depends on it: a process that has nothing else to do may end. */
const background = { keepsAlive: false };

export class BlockedDrains {
  readonly #options: BlockedDrainsOptions;
  readonly #budgets: WatchedBudgets;
  readonly #drains = new Map<string, Blocked>();
  readonly #changed = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: BlockedDrainsOptions) {
    this.#options = options;
    this.#budgets = new WatchedBudgets({
      target: options.target,
      onChange: (namespace) => this.#lookSoon([namespace]),
      onSynced: () => this.#lookSoon(this.#namespaces()),
      onError: (error) => options.onError(error),
    });
  }

  /** A pass of this drain runs with what it returns. */
  begin(ref: DrainRef): PassWatch & { end(): void } {
    const freed = new FreedPods();
    const id = ref.workflowId;
    const known = this.#drains.get(id);
    const drain: Blocked = known ?? { ref, since: 0, pods: [], volumes: [], triedIn: new Map() };
    drain.timer?.cancel();
    drain.ref = ref;
    drain.running = freed;
    this.#drains.set(id, drain);
    return {
      blocked: (pods, since) => this.#noteBlocked(drain, pods, since),
      takeFreed: () => freed.take(),
      pause: (milliseconds, signal) => freed.pause(milliseconds, signal),
      rest: (milliseconds, volumes) => this.#rest(drain, milliseconds, volumes),
      end: () => {
        if (drain.running === freed) this.#forget(drain);
      },
    };
  }

  /** It was attached or detached somewhere. A pass that runs sees that itself. */
  volumeMoved(volume: string): void {
    for (const drain of this.#drains.values()) {
      if (drain.running || drain.claims || !drain.volumes.includes(volume)) continue;
      this.#claim(drain, new Set());
      void this.#wakeResting(drain, [], 0);
    }
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    for (const drain of this.#drains.values()) this.#forget(drain);
    await this.#budgets.close();
  }

  #noteBlocked(drain: Blocked, pods: BlockedPod[], since: number): void {
    if (pods.length > 0) this.#budgets.keep();
    const hasNews = drain.claims !== undefined || uidsOf(drain.pods) !== uidsOf(pods);
    const namespaces = [...drain.pods, ...pods].map(({ namespace }) => namespace);
    drain.pods = pods;
    drain.since = since;
    // It has tried: what it did not take is for others.
    delete drain.claims;
    const present = new Set(pods.map(({ uid }) => uid));
    for (const uid of drain.triedIn.keys()) if (!present.has(uid)) drain.triedIn.delete(uid);
    if (hasNews) this.#lookSoon(namespaces);
  }

  #rest(drain: Blocked, milliseconds: number, volumes: readonly string[]): void {
    delete drain.running;
    drain.volumes = volumes;
    if (drain.pods.length + volumes.length === 0) this.#forget(drain);
    else drain.timer = after(milliseconds + graceMs, () => this.#forget(drain), background);
  }

  #forget(drain: Blocked): void {
    drain.timer?.cancel();
    if (!this.#isKnown(drain)) return;
    this.#drains.delete(drain.ref.workflowId);
    if (drain.claims) this.#lookSoon(drain.pods.map(({ namespace }) => namespace));
  }

  #isKnown(drain: Blocked): boolean {
    return this.#drains.get(drain.ref.workflowId) === drain;
  }

  #namespaces(): string[] {
    return [...this.#drains.values()].flatMap(({ pods }) => pods.map(({ namespace }) => namespace));
  }

  #lookSoon(namespaces: string[]): void {
    for (const namespace of namespaces) this.#changed.add(namespace);
    if (this.#changed.size > 0) this.#timer ??= after(settleMs, () => this.#lookNow(), background);
  }

  #lookNow(): void {
    this.#timer = undefined;
    const changed = new Set(this.#changed);
    this.#changed.clear();
    const waiting = [...this.#drains.values()].filter(
      ({ claims, pods }) => !claims && pods.some(({ namespace }) => changed.has(namespace)),
    );
    // Budgets that are not known yet are checked once they are.
    if (waiting.length === 0 || !this.#budgets.isKnown) return;
    const wakes = wakesOf({
      drains: waiting.map(({ ref, ...drain }) => ({ ...drain, id: ref.workflowId })),
      budgetsIn: (namespace) => this.#budgets.in(namespace),
      claimed: this.#claimed(),
    });
    for (const drain of waiting) this.#forgetTried(drain);
    for (const wake of wakes) this.#wake(wake, wakes.length);
  }

  /** A chance that is over: the next one is new, even if it is the same. */
  #forgetTried({ pods, triedIn }: Blocked): void {
    const refused = pods.filter((pod) => !chanceOf(pod, this.#budgets.in(pod.namespace)));
    for (const { uid } of refused) triedIn.delete(uid);
  }

  #claimed(): Map<string, number> {
    const claimed = new Map<string, number>();
    for (const { claims = [] } of this.#drains.values()) {
      for (const name of claims) claimed.set(name, (claimed.get(name) ?? 0) + 1);
    }
    return claimed;
  }

  #wake({ id, chances }: Wake, count: number): void {
    const drain = this.#drains.get(id);
    if (!drain) return;
    for (const { podUid, state } of chances) drain.triedIn.set(podUid, state);
    this.#claim(drain, budgetNames(chances));
    const podUids = chances.map(({ podUid }) => podUid);
    if (drain.running) drain.running.add(podUids);
    else void this.#wakeResting(drain, podUids, Math.min(spreadMs * count, spreadMaxMs));
  }

  #claim(drain: Blocked, claims: ReadonlySet<string>): void {
    const { claimMs = defaultClaimMs } = this.#options;
    drain.claims = claims;
    after(claimMs, () => this.#endClaims(drain, claims), background);
  }

  async #wakeResting(drain: Blocked, podUids: string[], spread: number): Promise<void> {
    const { claims } = drain;
    const mustTry = (): boolean => drain.claims === claims && this.#isKnown(drain);
    await sleep(random() * spread, background);
    try {
      const isUnderWay = (): boolean => drain.running !== undefined || !mustTry();
      if (!isUnderWay()) await this.#options.wake(drain.ref, isUnderWay);
      // A pass that began by itself meanwhile may have asked others only.
      if (mustTry()) drain.running?.add(podUids);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #endClaims(drain: Blocked, claims: Blocked['claims']): void {
    if (drain.claims !== claims) return;
    delete drain.claims;
    this.#lookSoon(drain.pods.map(({ namespace }) => namespace));
  }
}

function uidsOf(pods: BlockedPod[]): string {
  return pods.map(({ uid }) => uid).join();
}
