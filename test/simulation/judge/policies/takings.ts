/** Who sized the sets of deployments, and which machines went because we made a set smaller. */
import { isDeleting } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import { leaving } from './on-their-way.ts';

const priority = 'machinepriority.machine.sapcloud.io';
const desired = 'deployment.kubernetes.io/desired-replicas';
const most = 'deployment.kubernetes.io/max-replicas';

export const sizeOf = (object: JudgedObject | undefined): number => object?.spec?.replicas ?? 0;

export class Takings {
  readonly #past: ClusterPast;
  /** That a process of ours wrote last, by UID. */
  readonly #sizes = new Map<string, number>();
  /** Machines of a set that we took and that are not gone, by UID. */
  readonly #taken = new Map<string, number>();

  constructor(past: ClusterPast) {
    this.#past = past;
    past.machines.listen(({ object }, before) => {
      const owner = before?.metadata.ownerReferences?.find(({ controller }) => controller === true);
      const taken = this.#taken.get(owner?.uid ?? '') ?? 0;
      if (!object && owner && taken > 0) this.#taken.set(owner.uid, taken - 1);
    });
  }

  /** After a write was judged. */
  note(object: JudgedObject, taken: number): void {
    const { uid } = object.metadata;
    this.#sizes.set(uid, sizeOf(object));
    if (taken > 0) this.#taken.set(uid, (this.#taken.get(uid) ?? 0) + taken);
  }

  /** Machines that are on their way because of us. */
  ours(set: Life, at: number): number {
    const taken = this.#taken.get(set.uid) ?? 0;
    return taken === 0 ? 0 : Math.min(taken, leaving(this.#past, set, at));
  }

  /** A user has sized it, which we may put right. */
  isSizedByUser({ uid }: Life, object: JudgedObject | undefined): boolean {
    const size = this.#sizes.get(uid);
    return size !== undefined && object !== undefined && size !== sizeOf(object);
  }
}

/**
 * Machines that were available at every moment since then and are too many for the new size, but
 * those that a cluster autoscaler chose.
 */
export function workingTaken(past: ClusterPast, set: Life, since: number): number {
  const { available } = past.tallies.of(set.uid);
  const least = Math.min(...available.since(since));
  const chosen = Array.from(past.machines.ownedBy(set.uid)).filter((life) =>
    life.wasSince(since, ({ metadata }) => metadata.annotations?.[priority] === '1'),
  );
  return Math.max(0, least - sizeOf(set.object) - chosen.length);
}

/**
 * The size is a share of another number of replicas, or that number has just become smaller, or the
 * surge has: what is above it goes at once.
 */
export function isShareOf(
  deployment: Life,
  { before, after, since }: { before: JudgedObject; after: JudgedObject; since: number },
): boolean {
  const [old, present] = [before, after].map(({ metadata }) => metadata.annotations ?? {});
  const sizes = new Set(deployment.states.since(since).map((object) => sizeOf(object)));
  const isLess = Number(present?.[most]) < Number(old?.[most]);
  return old?.[desired] !== present?.[desired] || isLess || sizes.size > 1;
}

/** Sets that are not of the template have machines: a rollout is wanted. */
export function activeSets(past: ClusterPast, deployment: Life): Life[] {
  return Array.from(past.sets.ownedBy(deployment.uid)).filter(
    ({ object }) => object && !isDeleting(object) && sizeOf(object) > 0,
  );
}
