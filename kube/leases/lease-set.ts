/**
 * The Leases that a leader holds, all or none. Our own comes last and goes first: it is what lets
 * workers act.
 */
import type { Logger } from 'pino';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import type { KubeClient } from '../client/client.ts';
import { isNamespaceTerminating } from '../client/errors.ts';
import { LeaseLock } from './lease-lock.ts';
import type { Annotations, LockOutcome } from './lease-lock.ts';
import type { Lease } from './observed-lease.ts';
import type { front } from '../../workflows/api/kubermatic-names.ts';
import { epochAt } from '../../workflows/values/epoch.ts';
import { nowMs, uuid } from '../../activities/system/system.ts';

/**
 * Its `leaseTransitions` are the epoch of the watcher's signals; only with a holder may workers
 * create and destroy.
 */
export const ownLease = 'millwright';
/** On it: up to which versions objects were signalled. Without it all are signalled again. */
export const checkpointAnnotation = 'millwright.dev/checkpoint';
/** The two processes of MCM v0.62.1 hold one each: with both in our hands, MCM does not act. */
export const mcmLeases = ['machine-controller-manager', 'machine-controller'] as const;
/** Where roles grant no others, one of MCM's two is the Lease of the watchers as well. */
export const ownLeaseNames = [ownLease, mcmLeases[0]] as const;
export const isLeaseOfMcm = (name: string): boolean => mcmLeases.some((known) => known === name);
export type OwnLeaseName = (typeof ownLeaseNames)[number];

/** Where the Leases of the watchers are, as their flags say it. */
export interface LeasePlace {
  /** Default the namespace that is served. One that will be deleted can be served from another. */
  resourceNamespace?: string | undefined;
  /** In the namespace that is served. Default `millwright`. */
  resourceName?: OwnLeaseName | typeof front.lease | undefined;
  /** A Lease of Kubermatic, which is left alone also where MCM has one of that name. */
  notOfMcm?: NamespacedName | undefined;
}

export function ownLeaseOf(
  namespace: string,
  { resourceNamespace = namespace, resourceName = ownLease }: LeasePlace = {},
): NamespacedName {
  const isElsewhere = resourceNamespace !== namespace;
  return {
    namespace: resourceNamespace,
    name: isElsewhere ? `${ownLease}-${namespace}` : resourceName,
  };
}

export interface LeaseSetOptions {
  client: KubeClient;
  /** That is served: MCM's Leases are there. */
  namespace: string;
  /** Namespace and name of our own Lease. */
  place?: LeasePlace | undefined;
  identity: string;
  leaseDurationSeconds: number;
  /** Takes our own Lease at first from any holder, and leaves those of MCM alone. */
  isForced: boolean;
  /** Leaves those of MCM alone. */
  isAlone?: boolean | undefined;
  /** See `ElectionOptions`. */
  isNeeded?: (() => boolean | undefined) | undefined;
  log: Logger;
}

export interface LeasesSeen {
  /** Which Lease another process holds, if one does. */
  obstacle: string | undefined;
  /** Our own Lease. */
  own: LeaseBefore;
  /** The same, or as it was seen last where it was deleted. */
  before: LeaseBefore;
}

/** Our Lease as the last holder left it. */
export interface LeaseBefore {
  annotations: Record<string, string>;
  /** By the clock of its holder, milliseconds since 1970. */
  renewedAt: number | undefined;
}

/**
 * A term begins at a number that the clock has reached, so that its epoch is later than all before
 * it also where a Lease was deleted, or restored from a backup. Seconds, because no process begins
 * more than one term in a second; since 2020, because `leaseTransitions` has 32 bits.
 */
const epochFromTime = (): number => epochAt(nowMs());

export class LeaseSet {
  readonly #own: LeaseLock;
  readonly #mcm: LeaseLock[];
  readonly #log: Logger;
  /** A Lease that is deleted takes with it since when no watcher has led. */
  #lastSeen: Lease | undefined;

  constructor({ log, place, isNeeded, ...options }: LeaseSetOptions) {
    const common = { ...options, incarnation: uuid() };
    const own = ownLeaseOf(options.namespace, place);
    // Elsewhere it outlasts the namespace; on its own Lease MCM would leave a finalizer for ever.
    const canGoFirst = own.namespace === options.namespace && !isLeaseOfMcm(own.name);
    this.#own = new LeaseLock({
      ...common,
      ...own,
      leastTransitions: epochFromTime,
      ...(canGoFirst && { isNeeded }),
    });
    const { notOfMcm } = place ?? {};
    const left = notOfMcm?.namespace === options.namespace ? notOfMcm.name : undefined;
    const others =
      options.isForced || options.isAlone
        ? []
        : mcmLeases.filter((name) => name !== own.name && name !== left);
    this.#mcm = others.map((name) => new LeaseLock({ ...common, name }));
    this.#log = log;
  }

  /** The database was restored: our own Lease showed an older state than before. */
  get wentBack(): boolean {
    return this.#own.wentBack;
  }

  /** The next write begins a new term, without a moment in which the Leases are free. */
  beginAnew(): void {
    this.#own.beginAnew();
  }

  async read(): Promise<LeasesSeen> {
    const [own] = await allEnded([this.#own, ...this.#mcm].map((lock) => lock.read()));
    const taken = [...this.#mcm, this.#own].find((lock) => lock.foreignHolder() !== undefined);
    const obstacle = taken && `Lease ${taken.name} is held by ${taken.foreignHolder()}`;
    this.#lastSeen = own ?? this.#lastSeen;
    return { obstacle, own: leftBy(own), before: leftBy(this.#lastSeen) };
  }

  /** One after the other, in one order for all processes, so that no two wait for each other. */
  async acquire(annotations: Annotations | undefined): Promise<LockOutcome> {
    for (const lock of this.#mcm) {
      const attempt = await acquireOfMcm(lock);
      if (attempt?.held === false) return this.#givenUp(attempt);
    }
    const own = await this.#own.acquireOrRenew(annotations);
    if (!own.held) return this.#givenUp(own);
    this.#lastSeen = own.lease;
    this.#own.forgetRestore();
    return own;
  }

  async #givenUp(attempt: LockOutcome): Promise<LockOutcome> {
    await this.release();
    return attempt;
  }

  /** Of our own Lease; of another if that is lost. */
  async renew(annotations: Annotations | undefined): Promise<LockOutcome> {
    const [own, ...others] = await allEnded([
      this.#own.acquireOrRenew(annotations),
      ...this.#mcm.map(acquireOfMcm),
    ]);
    if (own.held) this.#lastSeen = own.lease;
    return others.find((attempt) => attempt?.held === false) ?? own;
  }

  /** A Lease that cannot be released expires by itself. */
  async release(annotations?: Annotations): Promise<void> {
    await this.#released(this.#own, annotations);
    await Promise.all(this.#mcm.map((lock) => this.#released(lock)));
  }

  async #released(lock: LeaseLock, annotations?: Annotations): Promise<void> {
    try {
      await lock.release(annotations);
    } catch (error) {
      this.#log.warn({ err: error, lease: lock.name }, 'the Lease was not released; it expires');
    }
  }
}

/**
 * Ends with the last of them, also where one fails before. A renewal that came after its leader had
 * lost would take the Lease again: with what is noted for a term that is over, perhaps with its
 * epoch, and also for a process that has stopped. A read that came after a write would pass for a
 * restored database.
 */
async function allEnded<const T extends readonly Promise<unknown>[]>(
  calls: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(calls);
  return await Promise.all(calls);
}

function leftBy(lease: Lease | undefined): LeaseBefore {
  const { renewTime } = lease?.spec ?? {};
  return {
    annotations: lease?.metadata.annotations ?? {},
    renewedAt: renewTime ? Date.parse(renewTime) : undefined,
  };
}

/**
 * Undefined in a namespace that is being deleted: no Lease can be made there any more, by MCM
 * neither.
 */
async function acquireOfMcm(lock: LeaseLock): Promise<LockOutcome | undefined> {
  try {
    return await lock.acquireOrRenew();
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
    return undefined;
  }
}
