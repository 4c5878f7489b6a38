/** DisruptionPolicies: when, and how many at a time (docs/decisions/0058). */
import { closedFor, clockMs, holdingFor } from '../policies/gates.ts';
import type { Holding, Question } from '../policies/gates.ts';
import { FinishedSets } from '../policies/finished-sets.ts';
import { onTheirWay } from '../policies/on-their-way.ts';
import { limitOf, policyOf, selects } from '../policies/policy-of.ts';
import { activeSets, isShareOf, sizeOf, Takings, workingTaken } from '../policies/takings.ts';
import type { Evidence } from '../evidence.ts';
import { isDeleting, ownerOf, phaseOf } from '../objects.ts';
import { staleMs } from '../past/authority.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import { isOfTemplate } from '../templates.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';

/** What was read before a backup was put back is carried out once more. Milliseconds. */
const restoredMs = 3 * staleMs;
/** So long a grant holds. Milliseconds. */
const grantedMs = 10 * 60_000;
const onDelete = 'millwright.dev/on-delete';

/** A set of a deployment that a process has written. */
interface Sized {
  judged: Case;
  set: Life;
  deployment: Life;
  finished: FinishedSets;
  takings: Takings;
}

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

function questionOf({ judged, deployment }: Sized, from = judged.since): Question {
  const { past, now } = judged;
  return { past, deployment, reason: 'Rollout', span: { from, to: now } };
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

function judgeNumbers(sized: Sized, taken: number): void {
  const { judged, set, deployment } = sized;
  for (const holding of holdingFor(questionOf(sized))) {
    const limit = mostOf(sized, holding);
    if (limit === undefined) continue;
    const { name } = holding;
    const what = `${textOf(judged, 'took')}: ${taken} of ${deployment.last.metadata.name}`;
    if (grantsOf(sized, holding).length === 0) {
      const text = `${what} without a grant of DisruptionPolicy ${name}`;
      accuse(sized, 'machines are taken by a grant', text);
    }
    const ours = oursOf(sized, holding) + taken;
    if (ours > limit) {
      const text = `${what}, so that ${ours} go because of us and DisruptionPolicy ${name} allows ${limit}`;
      accuse(sized, 'no more are on their way than a policy allows', text);
    }
    const others = othersOf(sized, holding);
    if (others + taken <= limit) continue;
    const text = `${what} beside ${others} that were on their way, and DisruptionPolicy ${name} allows ${limit} (${set.last.metadata.name})`;
    accuse(sized, 'no more are on their way than a policy allows', text);
  }
}

/** By the largest number that it has been meanwhile; undefined: at some moment there was none. */
function mostOf({ judged }: Sized, { life, specs }: Holding): number | undefined {
  const policy = policyOf(life.last);
  const selected = judged.past.deployments
    .present()
    .filter(({ last }) => isInReach(policy, last, life));
  const replicas = selected
    .map(({ states }) => Math.max(...states.since(judged.since).map(sizeOf)))
    .reduce((sum, size) => sum + size, 0);
  const limits = specs.map((spec) => limitOf({ ...policy, spec }, replicas));
  return limits.every((limit) => limit !== undefined) ? Math.max(...limits) : undefined;
}

function isInReach(
  policy: ReturnType<typeof policyOf>,
  deployment: Life['last'],
  { last }: Life,
): boolean {
  return deployment.metadata.namespace === last.metadata.namespace && selects(policy, deployment);
}

function setsOf({ judged: { past } }: Sized, { life }: Holding): Life[] {
  const policy = policyOf(life.last);
  return past.deployments
    .present()
    .filter(({ last }) => isInReach(policy, last, life))
    .flatMap(({ uid }) => Array.from(past.sets.ownedBy(uid)));
}

/** Without those of this write. */
function oursOf(sized: Sized, holding: Holding): number {
  const { takings, judged } = sized;
  return setsOf(sized, holding).reduce((sum, set) => sum + takings.ours(set, judged.now), 0);
}

/** The fewest that were on their way at a moment by which it may have been decided. */
function othersOf(sized: Sized, holding: Holding): number {
  const { judged, set } = sized;
  const { past, since, now } = judged;
  const sets = setsOf(sized, holding);
  const from = Math.min(since, grantedAt(sized) - clockMs);
  const machines = sets.flatMap(({ uid }) => Array.from(past.machines.ownedBy(uid)));
  const moments = [...sets, ...machines].flatMap(({ states }) => states.momentsSince(from));
  // This write is the last change of its set.
  const earlier = [...new Set(moments)].filter((at) => at < now);
  const counts = earlier.map((at) => sets.reduce((sum, one) => sum + onTheirWay(past, one, at), 0));
  return Math.min(...counts, set.bornAt < now ? Infinity : 0);
}

/** That cover this write, and have not ended. */
function grantsOf({ judged, set, deployment }: Sized, { life }: Holding) {
  const { since, after, now } = judged;
  return life.states
    .since(since)
    .flatMap((object) => (object && policyOf(object).status?.grants) ?? [])
    .filter(({ takenAt }) => Date.parse(takenAt) > now - grantedMs - clockMs)
    .filter(
      ({ uid, set: name, to = Infinity }) =>
        uid === deployment.uid && name === set.last.metadata.name && to <= sizeOf(after),
    );
}

/** Of the first grant for it; now where there is none. */
function grantedAt(sized: Sized): number {
  const grants = holdingFor(questionOf(sized)).flatMap((holding) => grantsOf(sized, holding));
  return Math.min(sized.judged.now, ...grants.map(({ takenAt }) => Date.parse(takenAt)));
}

type PolicyRule = Parameters<Evidence['rulings']['against']>[0];

function accuse({ judged, set }: Sized, rule: PolicyRule, text: string): void {
  judged.evidence.rulings.against(rule, `${set.uid} ${judged.now}`, text);
}

/** Of a machine whose Node is ill: its instance lives, and it may come back. */
export function judgeReplacement(judged: Case): void {
  const { evidence, past, before, after, since, now } = judged;
  if (!before || !after || phaseOf(before) !== 'Unknown' || phaseOf(after) !== 'Failed') return;
  const { providerID } = after.spec ?? {};
  if (providerID !== undefined && !evidence.instances.isLiving(providerID)) return;
  const set = past.sets.of(ownerOf(after));
  const deployment = set && past.deployments.of(ownerOf(set.last));
  if (!deployment?.object || deployment.wasSince(since, isDeleting)) return;
  const span = { from: since, to: now };
  const closed = closedFor({ past, deployment, reason: 'Replace', span });
  if (!closed) return;
  const text = `${textOf(judged, 'let')} fail while DisruptionPolicy ${closed.last.metadata.name} was closed`;
  const rule = 'nothing is taken while a policy is closed';
  evidence.rulings.against(rule, `${after.metadata.uid} ${now}`, text);
}

/** As many deployments have a turn as may, but for those that had it before. */
export function judgeTurns(judged: Case): void {
  const { evidence, past, before, after, now } = judged;
  if (!before || !after) return;
  const policy = policyOf(after);
  const { deployments: limit } = policy.spec.atATime ?? {};
  const present = (object: typeof after): string[] =>
    (policyOf(object).status?.turns ?? [])
      .filter(({ uid }) => past.deployments.of(uid)?.object !== undefined)
      .map(({ uid }) => uid);
  const [old, turns] = [present(before), present(after)];
  const isNew = turns.some((uid) => !old.includes(uid));
  if (!isNew || limit === undefined || turns.length <= limit) return;
  const text = `${textOf(judged, 'gave turns of')} to ${turns.length} deployments, allowed are ${limit}`;
  evidence.rulings.against(
    'a deployment rolls when it has its turn',
    `${after.metadata.uid} ${now}`,
    text,
  );
}
