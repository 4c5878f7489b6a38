/**
 * One Lease, taken and renewed as client-go does it: by writes that carry the resourceVersion that
 * was read.
 */
import type { KubeClient, ObjectMeta } from '../client/client.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import { ObservedLease, holderAnnotation, incarnationAnnotation } from './observed-lease.ts';
import type { Candidate, Lease } from './observed-lease.ts';
import { lease as leasePath } from '../client/paths.ts';
import { nowMs } from '../../activities/system/system.ts';

export interface LeaseLockOptions extends Candidate {
  client: KubeClient;
  namespace: string;
  name: string;
  leaseDurationSeconds: number;
  /** `leaseTransitions` of a new term are at least this. Default 0. */
  leastTransitions?(): number;
  /** Taken at first from any holder; after that, as any other. */
  isForced?: boolean;
  /** See `ElectionOptions`. Absent: its finalizers stay as they are. */
  isNeeded?: (() => boolean | undefined) | undefined;
}

export type LockOutcome = { held: true; lease: Lease } | { held: false; holder: string };

/** Null removes one. */
export type Annotations = Record<string, string | null>;

interface Write {
  annotations: Annotations;
  spec: object;
}

/** Without those that are to be removed. */
function present(annotations: Annotations): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== null));
}

/**
 * Keeps the Lease in a namespace that is being deleted, where no other one can be made, until the
 * objects are gone that only its holder lets go.
 */
export const neededFinalizer = 'millwright.dev/lease-needed';

/** Lease times have microseconds. */
const microTime = (): string => new Date(nowMs()).toISOString().replace('Z', '000Z');

export class LeaseLock {
  readonly name: string;
  readonly #options: LeaseLockOptions;
  readonly #path: string;
  readonly #observed: ObservedLease;
  #isHeld = false;
  #mustTake: boolean;
  #mustBegin = false;
  /** The highest number that this process saw: a restored database must not turn it back. */
  #transitions = -1;

  constructor(options: LeaseLockOptions) {
    this.name = options.name;
    this.#options = options;
    this.#path = leasePath(options.namespace, options.name);
    this.#observed = new ObservedLease(options);
    this.#mustTake = options.isForced ?? false;
  }

  async read(): Promise<Lease | undefined> {
    try {
      const lease = await this.#options.client.get<Lease>(this.#path);
      this.#observed.see(lease);
      this.#noteTerm(lease);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#observed.see(undefined);
    }
    return this.#observed.lease;
  }

  #noteTerm({ spec }: Lease): void {
    this.#transitions = Math.max(this.#transitions, spec?.leaseTransitions ?? 0);
  }

  /** Returns the holder at the last read, if the Lease is not ours to take. */
  foreignHolder(): string | undefined {
    return this.#mustTake ? undefined : this.#observed.foreignHolder();
  }

  /** See `ObservedLease.wentBack`. */
  get wentBack(): boolean {
    return this.#observed.wentBack;
  }

  /** The next write begins a new term, although we hold the Lease. */
  beginAnew(): void {
    this.#mustBegin = true;
  }

  forgetRestore(): void {
    this.#observed.forgetRestore();
  }

  /**
   * Throws KubeError when the API server does not answer, or when others wrote at the same time.
   */
  async acquireOrRenew(annotations: Annotations = {}): Promise<LockOutcome> {
    // A holder renews without reading; a conflict means that another process wrote in between.
    if (this.#isHeld) {
      try {
        return await this.#write(annotations);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    await this.read();
    const holder = this.foreignHolder();
    if (holder === undefined) return this.#write(annotations);
    this.#isHeld = false;
    return { held: false, holder };
  }

  /** Gives it up if we hold it, so that the next one need not wait for its expiry. */
  async release(annotations: Annotations = {}): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const held = this.#observed.lease;
    if (held === undefined) return;
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() };
    await this.#update(held, { annotations, spec });
  }

  async #write(annotations: Annotations): Promise<LockOutcome> {
    const { identity, incarnation } = this.#options;
    const marked = {
      ...annotations,
      [incarnationAnnotation]: incarnation,
      [holderAnnotation]: identity,
    };
    const held = this.#observed.lease;
    // A new term may be asked for while a renewal is under way.
    const isBegin = !this.#isHeld || this.#mustBegin;
    const term = isBegin || held === undefined ? this.#newTerm() : {};
    const write = { annotations: marked, spec: { ...this.#term(), ...term } };
    const lease = held === undefined ? await this.#create(write) : await this.#update(held, write);
    if (isBegin) this.#mustBegin = false;
    this.#observed.seeOurs(lease);
    this.#noteTerm(lease);
    this.#isHeld = true;
    this.#mustTake = false;
    return { held: true, lease };
  }

  async #create({ annotations: all, spec }: Write): Promise<Lease> {
    const { client, namespace, name } = this.#options;
    const annotations = present(all);
    return client.create<Lease>(leasePath(namespace), {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, annotations, ...this.#finalizers({}) },
      spec,
    });
  }

  /** The whole object, as client-go does it: roles for MCM's Leases grant no `patch`. */
  async #update(held: Lease, { annotations: changed, spec }: Write): Promise<Lease> {
    const annotations = present({ ...held.metadata.annotations, ...changed });
    return this.#options.client.update<Lease>(this.#path, {
      ...held,
      metadata: { ...held.metadata, annotations, ...this.#finalizers(held.metadata) },
      spec: { ...held.spec, ...spec },
    });
  }

  #finalizers({ finalizers = [], deletionTimestamp }: Partial<ObjectMeta>): Partial<ObjectMeta> {
    const isNeeded = this.#options.isNeeded?.();
    if (isNeeded === undefined) return {};
    const others = finalizers.filter((name) => name !== neededFinalizer);
    if (!isNeeded) return { finalizers: others };
    // None can be added to what is being deleted.
    return deletionTimestamp === undefined ? { finalizers: [...others, neededFinalizer] } : {};
  }

  #newTerm(): object {
    const least = this.#options.leastTransitions?.() ?? 0;
    const leaseTransitions = Math.max(least, this.#transitions + 1);
    return { acquireTime: microTime(), leaseTransitions };
  }

  #term(): object {
    const { identity, leaseDurationSeconds } = this.#options;
    return { holderIdentity: identity, leaseDurationSeconds, renewTime: microTime() };
  }
}
