/** One Lease, taken and renewed as client-go does it: by writes that carry the resourceVersion that was read. */
import type { KubeClient } from './client.ts';
import { isConflict, isNotFound } from './errors.ts';
import { ObservedLease, incarnationAnnotation } from './observed-lease.ts';
import type { Candidate, Lease } from './observed-lease.ts';
import { lease as leasePath } from './paths.ts';

export interface LeaseLockOptions extends Candidate {
  client: KubeClient;
  namespace: string;
  name: string;
  leaseDurationSeconds: number;
  /** `leaseTransitions` of a Lease that we create. Default 0. */
  firstTransitions?: number;
}

export type Attempt = { held: true; lease: Lease } | { held: false; holder: string };

type Annotations = Record<string, string>;

/** Lease times have microseconds. */
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');

export class LeaseLock {
  readonly name: string;
  readonly #options: LeaseLockOptions;
  readonly #path: string;
  readonly #observed: ObservedLease;
  #isHeld = false;

  constructor(options: LeaseLockOptions) {
    this.name = options.name;
    this.#options = options;
    this.#path = leasePath(options.namespace, options.name);
    this.#observed = new ObservedLease(options);
  }

  async read(): Promise<Lease | undefined> {
    try {
      this.#observed.see(await this.#options.client.get<Lease>(this.#path));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#observed.see(undefined);
    }
    return this.#observed.lease;
  }

  /** Who held it at the last read, if it is not ours to take. */
  foreignHolder(): string | undefined {
    return this.#observed.foreignHolder();
  }

  /** Throws KubeError when the API server does not answer, or when others wrote at the same time. */
  async acquireOrRenew(annotations: Annotations = {}): Promise<Attempt> {
    // A holder renews without reading; a conflict tells that somebody wrote in between.
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
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() };
    const resourceVersion = this.#observed.lease?.metadata.resourceVersion;
    const body = { metadata: { resourceVersion, annotations }, spec };
    await this.#options.client.patch(this.#path, 'merge', body);
  }

  async #write(annotations: Annotations): Promise<Attempt> {
    const marked = { ...annotations, [incarnationAnnotation]: this.#options.incarnation };
    const held = this.#observed.lease;
    const lease = held === undefined ? await this.#create(marked) : await this.#patch(held, marked);
    this.#observed.seeOurs(lease);
    this.#isHeld = true;
    return { held: true, lease };
  }

  async #create(annotations: Annotations): Promise<Lease> {
    const { client, namespace, name, firstTransitions = 0 } = this.#options;
    return client.create<Lease>(leasePath(namespace), {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, annotations },
      spec: { ...this.#tenure(), acquireTime: microTime(), leaseTransitions: firstTransitions },
    });
  }

  async #patch({ metadata, spec = {} }: Lease, annotations: Annotations): Promise<Lease> {
    const isRenewal = spec.holderIdentity === this.#options.identity;
    const leaseTransitions = (spec.leaseTransitions ?? 0) + 1;
    const begin = isRenewal ? {} : { acquireTime: microTime(), leaseTransitions };
    return this.#options.client.patch<Lease>(this.#path, 'merge', {
      metadata: { resourceVersion: metadata.resourceVersion, annotations },
      spec: { ...this.#tenure(), ...begin },
    });
  }

  #tenure(): object {
    const { identity, leaseDurationSeconds } = this.#options;
    return { holderIdentity: identity, leaseDurationSeconds, renewTime: microTime() };
  }
}
