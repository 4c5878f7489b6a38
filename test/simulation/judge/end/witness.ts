/** Which Machines joined, and which were torn down to the end. */
import type { Evidence } from '../evidence.ts';
import { finalizer, hasFinalizer, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { JudgedWrite } from '../rules/case.ts';

export class Witness {
  readonly #evidence: Evidence;
  /** By UID: when it first ran, and when a process of ours released it. */
  readonly #joinedAt = new Map<string, number>();
  readonly #releasedAt = new Map<string, number>();
  /** By the providerID that it named. */
  readonly #releasedInstances = new Map<string, number>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    for (const { control } of evidence.world.installs) {
      evidence.pastOf(control).machines.listen(({ uid, last }) => {
        if (phaseOf(last) !== 'Running' || this.#joinedAt.has(uid)) return;
        this.#joinedAt.set(uid, evidence.simulation.now);
      });
    }
  }

  hear({ before, after }: JudgedWrite): void {
    if (before?.kind !== 'Machine' || !hasFinalizer(before, finalizer)) return;
    if (after && hasFinalizer(after, finalizer)) return;
    const { now } = this.#evidence.simulation;
    this.#releasedAt.set(before.metadata.uid, now);
    const machine: JudgedObject = before;
    const { providerID } = machine.spec ?? {};
    if (providerID !== undefined) this.#releasedInstances.set(providerID, now);
  }

  /** When what is left of a Machine had to go; undefined: it had not. */
  endOf(uid: string, providerID = ''): number | undefined {
    return this.#releasedAt.get(uid) ?? this.#releasedInstances.get(providerID);
  }

  /** Whether it ran for the first time after that moment, or was released and never ran. */
  hasNoNeedOfTokenOf(uid: string, moment: number): boolean {
    const endedAt = this.#joinedAt.get(uid) ?? this.#releasedAt.get(uid);
    return endedAt !== undefined && endedAt > moment;
  }
}
