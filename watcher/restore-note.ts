/** Notes on the Lease when its database was restored. */
import type { LeaseBefore } from '../kube/leases/lease-set.ts';
import { readRestore, restoredAnnotation, writeRestore } from '../kube/objects/restore-note.ts';
import { kindOfDoubt } from './doubt.ts';

export class RestoreNote {
  readonly #now: () => number;
  #at: number | undefined;

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A term begins. `doubt` is why it does not go on where the one before it ended. */
  takeOver({ annotations }: Pick<LeaseBefore, 'annotations'>, doubt: string | undefined): void {
    const isRestored = doubt !== undefined && kindOfDoubt(doubt) === 'restored';
    this.#at = isRestored ? this.#now() : readRestore(annotations[restoredAnnotation]);
  }

  annotations(): Record<string, string> {
    return this.#at === undefined ? {} : { [restoredAnnotation]: writeRestore(this.#at) };
  }
}
