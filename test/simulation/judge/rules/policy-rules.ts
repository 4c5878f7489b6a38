/** DisruptionPolicies: when machines that work may go, and in whose turn (docs/decisions/0058). */
import { clockMs, closedFor, holdingFor } from '../policies/gates.ts';
import { FinishedSets } from '../policies/finished-sets.ts';
import { policyOf } from '../policies/policy-of.ts';
import { activeSets, isShareOf, sizeOf, Takings, workingTaken } from '../policies/takings.ts';
import type { Evidence } from '../evidence.ts';
import { isDeleting, ownerOf } from '../objects.ts';
import { staleMs } from '../past/authority.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import { isOfTemplate } from '../templates.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';
import { accuse, grantedAt, judgeNumbers, questionOf } from './policy-numbers.ts';
import type { Sized } from './policy-numbers.ts';

/** What was read before a backup was put back is carried out once more. Milliseconds. */
const restoredMs = 3 * staleMs;
const onDelete = 'millwright.dev/on-delete';

export class PolicyRules {
  readonly #finished: ReadonlyMap<ClusterPast, FinishedSets>;
  readonly #takings: ReadonlyMap<ClusterPast, Takings>;

  constructor(evidence: Evidence) {
    const pasts = evidence.world.clusters.map((cluster) => evidence.pastOf(cluster));
    this.#finished = new Map(pasts.map((past) => [past, new FinishedSets(past)]));
    this.#takings = new Map(pasts.map((past) => [past, new Takings(past)]));
  }

  /** A set was made, or has another size. */
  judgeSize(judged: Case): void {
    const { past, before, after } = judged;
    const [finished, takings] = [this.#finished.get(past), this.#takings.get(past)];
    if (!after || !finished || !takings) return;
    const set = past.sets.of(after.metadata.uid);
    const deployment = past.deployments.of(ownerOf(after));
    let taken = 0;
    if (set && deployment?.object && !isExcused(judged, deployment, takings)) {
      const sized = { judged, set, deployment, finished, takings };
      if (!before) judgeSetOfRollout(sized);
      else if (sizeOf(after) > sizeOf(before)) judgeGrowth(sized);
      else if (sizeOf(after) < sizeOf(before)) taken = judgeTaking(sized);
    }
    takings.note(after, taken);
  }
}

/** What people do to sets, what a restored database undoes, and what no policy bounds. */
function isExcused(judged: Case, deployment: Life, takings: Takings): boolean {
  const { evidence, past, before, after, since, now, write } = judged;
  const { forgotAt = -Infinity } = evidence.world.temporal;
  const restoredAt = Math.max(forgotAt, past.restoredAt ?? -Infinity);
  const isOnDelete = deployment.wasSince(
    since,
    ({ metadata }) => metadata.annotations?.[onDelete] === 'true',
  );
  const own = Array.from(past.sets.ownedBy(deployment.uid));
  return (
    write.isAgain === true ||
    now - restoredAt < restoredMs ||
    isOnDelete ||
    deployment.wasSince(since, isDeleting) ||
    own.some((set) =>
      takings.isSizedByUser(set, set.uid === after?.metadata.uid ? before : set.object),
    )
  );
}

/** Before the first opening there is no set, and without a turn none either. */
function judgeSetOfRollout(sized: Sized): void {
  const { judged, set, deployment, finished } = sized;
  const { past, since } = judged;
  const isRolling = activeSets(past, deployment).some(
    (other) => other !== set && other.bornAt <= since,
  );
  if (!isRolling || finished.isGoingBack(deployment, since)) return;
  judgeTimes(sized, 'created');
  judgeTurn(sized, 'created');
}

/** While a policy is closed nothing is made above `replicas`. */
function judgeGrowth(sized: Sized): void {
  const { judged, set, deployment, finished } = sized;
  const { past, since, before, after } = judged;
  if (!before || !after || isShareOf(deployment, { before, after, since })) return;
  if (finished.isGoingBack(deployment, since)) return;
  const others = activeSets(past, deployment).filter((other) => other !== set);
  const least = others.map(({ states }) => Math.min(...states.since(since).map(sizeOf)));
  const sum = least.reduce((all, size) => all + size, sizeOf(after));
  if (sum > sizeOf(deployment.object)) judgeTimes(sized, 'made larger than wanted');
}

/** @returns Machines that work and go for this. */
function judgeTaking(sized: Sized): number {
  const { judged, set, deployment, finished } = sized;
  const { past, since, before, after } = judged;
  if (!before || !after || isShareOf(deployment, { before, after, since })) return 0;
  if (deployment.wasSince(since, (object) => isOfTemplate(after, object))) return 0;
  // Those of the last size may still be there.
  const most = sizeOf(before) - sizeOf(after);
  const taken = Math.min(most, workingTaken(past, set, since));
  if (taken === 0) return 0;
  if (!finished.isGoingBack(deployment, since)) {
    judgeTimes(sized, 'shrank');
    judgeTurn(sized, 'shrank');
  }
  judgeNumbers(sized, taken);
  return taken;
}

/** A size that was granted inside may be carried out after the end. */
function judgeTimes(sized: Sized, verb: string): void {
  const { judged, set } = sized;
  const from = Math.min(judged.since, grantedAt(sized) - clockMs);
  const closed = closedFor(questionOf(sized, from));
  if (closed) {
    const { name } = set.last.metadata;
    const text = `${textOf(judged, verb)} (${name}) while DisruptionPolicy ${closed.last.metadata.name} was closed`;
    accuse(sized, 'nothing is taken while a policy is closed', text);
  }
  const { arePoliciesHidden } = judged.evidence.authorityOf(judged.install);
  if (!arePoliciesHidden.since(judged.since).every(Boolean)) return;
  const text = `${textOf(judged, verb)} (${set.last.metadata.name}) while no DisruptionPolicy could be read`;
  accuse(sized, 'nothing is taken while a policy is closed', text);
}

function judgeTurn(sized: Sized, verb: string): void {
  const { judged, deployment } = sized;
  for (const { life, name, specs } of holdingFor(questionOf(sized))) {
    if (specs.some(({ atATime }) => atATime?.deployments === undefined)) continue;
    const hadTurn = life.wasSince(judged.since, (object) =>
      (policyOf(object).status?.turns ?? []).some(({ uid }) => uid === deployment.uid),
    );
    if (hadTurn) continue;
    const text = `${textOf(judged, verb)} of ${deployment.last.metadata.name} without a turn of DisruptionPolicy ${name}`;
    accuse(sized, 'a deployment rolls when it has its turn', text);
  }
}
