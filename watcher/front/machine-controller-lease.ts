/**
 * The Lease of machine-controller, held while anything of its API is served here. A
 * machine-controller that is started beside the front would make an instance for each Machine of
 * ours, as it finds none by its tags.
 */
import type { Logger } from 'pino';
import { after, type Timer } from '../../activities/system/system.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { LeaseLock } from '../../kube/leases/lease-lock.ts';
import { isHeldByUs } from '../../kube/leases/observed-lease.ts';
import { front } from '../../workflows/api/kubermatic-names.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';

/**
 * A machine-controller that stands by takes the Lease when it was not renewed for so long, so this
 * is how long all fronts may be away.
 */
const leaseDurationSeconds = 3_600;
const periodMs = 10_000;

export interface HeldLeaseOptions {
  client: KubeClient;
  lease: NamespacedName;
  /** Name of the install: all its fronts are one holder, and each goes on where another ended. */
  install: string;
  /** Undefined: that is not known, and it stays as it is. */
  isNeeded(): boolean | undefined;
  /** Asked before it is let go. */
  isNeededElsewhere(): Promise<boolean>;
  log: Logger;
}

export class MachineControllerLease {
  readonly #options: HeldLeaseOptions;
  readonly #lock: LeaseLock;
  readonly #identity: string;
  #running: Promise<void>;
  #timer: Timer | undefined;
  #isStopped = false;
  /** Who keeps it from us, as the log has it. */
  #said: string | undefined;

  /** Begins at once. */
  constructor(options: HeldLeaseOptions) {
    this.#options = options;
    const { client, lease, install } = options;
    const identity = `${front.lease}/${install}`;
    const holder = { identity, incarnation: identity };
    this.#identity = identity;
    this.#lock = new LeaseLock({ client, ...lease, ...holder, leaseDurationSeconds });
    this.#running = this.#turn();
  }

  /** It stays held: what is served here is so while no front runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async #turn(): Promise<void> {
    const { log, isNeeded } = this.#options;
    try {
      const needed = isNeeded();
      if (needed === false) await this.#letGo();
      else if (needed) await this.#hold();
    } catch (err) {
      log.warn({ err, lease: this.#lock.name }, 'the Lease of machine-controller cannot be held');
    }
    if (this.#isStopped) return;
    this.#timer = after(periodMs, () => {
      this.#running = this.#turn();
    });
  }

  /** Also what an earlier process held. */
  async #letGo(): Promise<void> {
    const lease = await this.#lock.read();
    if (lease?.spec?.holderIdentity !== this.#identity) return;
    if (await this.#options.isNeededElsewhere()) return;
    await this.#lock.acquireOrRenew();
    await this.#lock.release();
  }

  /** A watcher of ours that holds it, as that of MCM, keeps machine-controller away as well. */
  async #hold(): Promise<void> {
    const outcome = await this.#lock.acquireOrRenew();
    const lease = outcome.held ? undefined : await this.#lock.read();
    const holder = outcome.held || isHeldByUs(lease) ? undefined : outcome.holder;
    if (holder !== undefined && holder !== this.#said) {
      const what =
        'machine-controller runs beside the front: scale it to 0, or both make instances';
      this.#options.log.error({ holder, lease: this.#lock.name }, what);
    }
    this.#said = holder;
  }
}
