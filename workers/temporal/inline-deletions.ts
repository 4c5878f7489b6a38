/**
 * Deletions that end a drain, with the drivers that this process serves. They stand in slots of
 * drains, so there are few at a time, and each is short: a cloud that is slow is asked from the
 * driver's own queue.
 */
import type { InlineDeletions } from '../../activities/drain/machine-removal.ts';
import type { DriverActivities } from '../../workflows/contracts/driver-activities.ts';
import type { DeleteOutcome, DriverRequest } from '../../workflows/contracts/driver-contract.ts';

/** Of one call. */
export const inlineDeletionLimitMs = 10_000;

type Serving = Pick<DriverActivities, 'deleteInstance'>;

export class ServedDeletions implements InlineDeletions {
  readonly #most: number;
  readonly #drivers = new Map<string, Serving>();
  #running = 0;

  /** `most` at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  /** From now on this process has the driver. */
  add(provider: string, driver: Serving): void {
    this.#drivers.set(provider, driver);
  }

  serves(provider: string): boolean {
    return this.#drivers.has(provider);
  }

  /** Undefined where it has no driver for this request, or too many run. */
  deleteInstance(request: DriverRequest): Promise<DeleteOutcome> | undefined {
    const driver = this.#drivers.get(request.provider);
    if (!driver || this.#running >= this.#most) return undefined;
    this.#running += 1;
    return driver.deleteInstance(request).finally(() => {
      this.#running -= 1;
    });
  }
}
