/** Writes down when nothing could be done, for the Lease that every worker watches. */
import type { LeaseBefore } from '../kube/leases/lease-set.ts';
import type { NotedPause } from '../kube/objects/pauses.ts';
import { bounded, pausesAnnotation, readPauses, writePauses } from '../kube/objects/pauses.ts';
import type { PauseReason } from '../workflows/values/pauses.ts';

/** A shorter pause costs no deadline anything that matters. A stop counts from its first second. */
const shortestMs = 10_000;

export class PauseLog {
  readonly #now: () => number;
  #pauses: NotedPause[] = [];

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * A term begins with what the Lease says. Since its last renewal no watcher led, and nothing is
   * known of what lasted then: it ends, and is noted anew if it still lasts. The write that takes
   * the Lease has to carry it: with the Lease comes the pause.
   */
  takeOver({ annotations, renewedAt }: LeaseBefore): void {
    const now = this.#now();
    const noted = readPauses(annotations[pausesAnnotation]);
    this.#pauses = noted.map((pause) => ({ ...pause, until: pause.until ?? now }));
    if (renewedAt === undefined || !(now - renewedAt >= shortestMs)) return;
    this.#pauses.push({ reason: 'watcher', from: renewedAt, until: now });
  }

  /**
   * `since`: when it began, as long as it lasts. It is noted at once, as this process may not see
   * its end.
   */
  note(reason: PauseReason, since: number | undefined): void {
    const now = this.#now();
    const open = this.#pauses.find((pause) => pause.reason === reason && pause.until === undefined);
    if (since === undefined) {
      if (open) open.until = now;
      return;
    }
    const isShort = reason !== 'stop' && now - since < shortestMs;
    if (!open && !isShort) this.#pauses.push({ reason, from: since });
  }

  annotations(): Record<string, string> {
    this.#pauses = bounded(this.#pauses, this.#now());
    return { [pausesAnnotation]: writePauses(this.#pauses) };
  }
}
