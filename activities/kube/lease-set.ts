/** The Leases that a leader holds, all or none. Our own comes last and goes first: it is the licence of the workers. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { KubeClient } from './client.ts';
import { LeaseLock } from './lease-lock.ts';
import type { Attempt } from './lease-lock.ts';

/** Its `leaseTransitions` are the epoch of the watcher's signals; its holder is the licence to create and destroy. */
export const ownLease = 'millwright';
/** The two processes of MCM v0.62.1 hold one each: with both in our hands, MCM does not act. */
const mcmLeases = ['machine-controller-manager', 'machine-controller'] as const;

export interface LeaseSetOptions {
  client: KubeClient;
  namespace: string;
  identity: string;
  leaseDurationSeconds: number;
  log: Logger;
}

type Annotations = Record<string, string>;

/** Minutes, so that a Lease which is created anew does not begin below the transitions of a deleted one. */
export const epochFromTime = (): number => Math.floor(Date.now() / 60_000);

export class LeaseSet {
  readonly #own: LeaseLock;
  readonly #mcm: LeaseLock[];
  readonly #log: Logger;

  constructor({ log, ...options }: LeaseSetOptions) {
    const common = { ...options, incarnation: randomUUID() };
    this.#own = new LeaseLock({ ...common, name: ownLease, firstTransitions: epochFromTime() });
    this.#mcm = mcmLeases.map((name) => new LeaseLock({ ...common, name }));
    this.#log = log;
  }

  /** Which Lease is in whose hands, if any is; what our own Lease carries. */
  async look(): Promise<{ obstacle: string | undefined; annotations: Annotations }> {
    const [own] = await Promise.all([this.#own, ...this.#mcm].map((lock) => lock.read()));
    const taken = this.#inOrder().find((lock) => lock.foreignHolder() !== undefined);
    const obstacle = taken && `Lease ${taken.name} is held by ${taken.foreignHolder()}`;
    return { obstacle, annotations: own?.metadata.annotations ?? {} };
  }

  /** One after the other, in one order for all processes, so that no two wait for each other. */
  async acquire(): Promise<Attempt> {
    let last: Attempt = { held: false, holder: '' };
    for (const lock of this.#inOrder()) {
      last = await lock.acquireOrRenew();
      if (last.held) continue;
      await this.release();
      return last;
    }
    return last;
  }

  /** Who took one of them, or nothing. */
  async renew(annotations: Annotations | undefined): Promise<string | undefined> {
    const attempts = await Promise.all([
      this.#own.acquireOrRenew(annotations),
      ...this.#mcm.map((lock) => lock.acquireOrRenew()),
    ]);
    for (const attempt of attempts) if (!attempt.held) return attempt.holder;
    return undefined;
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

  #inOrder(): LeaseLock[] {
    return [...this.#mcm, this.#own];
  }
}
