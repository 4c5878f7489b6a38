/** Annotations that a watcher writes on its Lease each time that it renews it. */
import type { LeaseBefore } from '../kube/leases/lease-set.ts';
import { checkpointAnnotation } from '../kube/leases/lease-set.ts';
import type { Annotations } from '../kube/leases/lease-lock.ts';
import type { CertificateEnd } from '../kube/objects/certificate-ends.ts';
import { certificatesAnnotation, writeCertificateEnds } from '../kube/objects/certificate-ends.ts';
import type { InstallNote } from '../kube/objects/install-note.ts';
import { installAnnotation, writeInstallNote } from '../kube/objects/install-note.ts';
import { nowMs } from '../activities/system/system.ts';
import type { Checkpoint, Scope } from './cache/checkpoint.ts';
import { isOfOtherPlace, write } from './cache/checkpoint.ts';
import { PauseLog } from './pause-log.ts';
import { readRestore, restoredAnnotation, writeRestore } from '../kube/objects/restore-note.ts';
import { kindOfDoubt } from './doubt.ts';

export interface LeaseNotesOptions {
  scope: Scope;
  install(): InstallNote;
  certificates(): readonly CertificateEnd[];
}

/** Times in milliseconds since 1970. */
export interface Present {
  /** Undefined until there is one in this term. */
  checkpoint: Checkpoint | undefined;
  stoppedSince: number | undefined;
  targetAwaySince: number | undefined;
}

export class LeaseNotes {
  readonly pauses = new PauseLog(nowMs);
  readonly #restore = new RestoreNote(nowMs);
  readonly #options: LeaseNotesOptions;
  /** The checkpoint on the Lease is of another place: workers go by it. */
  #isForeign = false;

  constructor(options: LeaseNotesOptions) {
    this.#options = options;
  }

  /** A term begins, for the reason `doubt` where it does not go on from the one before it. */
  takeOver(before: LeaseBefore, doubt: string | undefined): void {
    this.pauses.takeOver(before);
    this.#restore.takeOver(before, doubt);
    const { scope } = this.#options;
    this.#isForeign = isOfOtherPlace(before.annotations[checkpointAnnotation], scope);
  }

  annotations(doubt: string | undefined, present: Present): Annotations {
    const { scope, install, certificates } = this.#options;
    const { checkpoint, stoppedSince, targetAwaySince } = present;
    this.pauses.note('stop', stoppedSince);
    this.pauses.note('target', targetAwaySince);
    if (checkpoint) this.#isForeign = false;
    const kept = checkpoint ?? (this.#isForeign ? {} : undefined);
    // Until there is a new one, the old one holds, or none.
    const otherwise = doubt === undefined ? undefined : null;
    const noted = kept ? write(kept, scope) : otherwise;
    return {
      ...(noted !== undefined && { [checkpointAnnotation]: noted }),
      ...this.pauses.annotations(),
      ...this.#restore.annotations(),
      [installAnnotation]: writeInstallNote(install()),
      [certificatesAnnotation]: writeCertificateEnds(certificates()) ?? null,
    };
  }
}

/** Notes on the Lease when its database was restored. */
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
