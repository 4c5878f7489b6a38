/** Which Machines joined, and which were torn down to the end. */
import type { Evidence } from '../evidence.ts';
import { finalizer, hasFinalizer, isAvailable, phaseOf, uidTag } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { JudgedWrite } from '../rules/case.ts';

/** Of runs after which another one begins, and knows what the object says. */
const endings = new Set(['TERMINATED', 'FAILED']);

export class Witness {
  readonly #evidence: Evidence;
  /** By UID: when it first ran, and when a process of ours released it. */
  readonly #joinedAt = new Map<string, number>();
  readonly #releasedAt = new Map<string, number>();
  /** By the providerID that it named. */
  readonly #releasedInstances = new Map<string, number>();
  /** By UID and by providerID: the Nodes that Machines named whose workflows had begun anew. */
  readonly #lastNodes = new Map<string, string>();
  /** UIDs of Machines that users made with the label, as a migration does. */
  readonly #bornNamed = new Set<string>();
  /** By workflow id: when such a run ended last. Temporal forgets them after an hour. */
  readonly #begunAnewAt = new Map<string, number>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    evidence.world.temporal.engine.listen(({ run, status, closedAt }) => {
      if (endings.has(status) && closedAt !== undefined)
        this.#begunAnewAt.set(run.workflowId, closedAt);
    });
    for (const { control } of evidence.world.installs) {
      evidence.pastOf(control).machines.listen(({ uid, last }, before) => {
        if (!before && last.metadata.labels?.['node'] !== undefined) this.#bornNamed.add(uid);
        if (phaseOf(last) !== 'Running' || this.#joinedAt.has(uid)) return;
        this.#joinedAt.set(uid, evidence.simulation.now);
      });
    }
  }

  hear({ before, after, process }: JudgedWrite): void {
    if (before?.kind !== 'Machine' || !hasFinalizer(before, finalizer)) return;
    if (after && hasFinalizer(after, finalizer)) return;
    if (mayLeaveNode(this.#evidence, before.metadata.uid, process)) return;
    const { now } = this.#evidence.simulation;
    this.#releasedAt.set(before.metadata.uid, now);
    const machine: JudgedObject = before;
    const { providerID } = machine.spec ?? {};
    if (providerID !== undefined) this.#releasedInstances.set(providerID, now);
    this.#noteNode(machine);
  }

  /**
   * Only the label of a Machine says which Node is its own. A run that knew it better was lost with
   * Temporal's database, was terminated by a user, or could not be replayed, or there was none;
   * what is left is the label, which a user set wrong.
   */
  hadLost(uid: string, node: string, providerID = ''): boolean {
    const named = this.#lastNodes.get(uid) ?? this.#lastNodes.get(providerID) ?? node;
    return named !== node;
  }

  #noteNode({ metadata, spec }: JudgedObject): void {
    const node = metadata.labels?.['node'];
    if (node === undefined) return;
    if (!this.#bornNamed.has(metadata.uid) && !this.#hasBegunAnew(metadata)) return;
    this.#lastNodes.set(metadata.uid, node);
    // The instance may be of a Machine of that name which was replaced by this one.
    if (spec?.providerID !== undefined) this.#lastNodes.set(spec.providerID, node);
  }

  #hasBegunAnew({ namespace, name, creationTimestamp }: JudgedObject['metadata']): boolean {
    const { forgotAt = -Infinity } = this.#evidence.world.temporal;
    const createdAt = Date.parse(creationTimestamp ?? '');
    const begunAnewAt = this.#begunAnewAt.get(`machine/${namespace}/${name}`) ?? -Infinity;
    return Math.max(forgotAt, begunAnewAt) >= createdAt;
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

/**
 * A target cluster that a process cannot reach is not waited for by a Machine that never ran, and
 * whose instance was made for it (docs/compatibility.md).
 */
export function mayLeaveNode(evidence: Evidence, uid: string, process: { name: string }): boolean {
  const install = evidence.installOf(process.name);
  if (!install) return false;
  const { target } = install;
  if (target.isUp && !evidence.world.weather.isCut(process, target.name)) return false;
  const life = evidence.controlOf(install).machines.of(uid);
  const hasRun = life?.wasSince(-Infinity, isAvailable) ?? false;
  return !hasRun && evidence.cloud.records.some(({ tags }) => tags[uidTag] === uid);
}
