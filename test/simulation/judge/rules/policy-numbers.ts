/** How many machines DisruptionPolicies let go at a time, and the grants for that. */
import { clockMs, holdingFor } from '../policies/gates.ts';
import type { Holding, Question } from '../policies/gates.ts';
import type { FinishedSets } from '../policies/finished-sets.ts';
import { onTheirWay } from '../policies/on-their-way.ts';
import { limitOf, policyOf, selects } from '../policies/policy-of.ts';
import { sizeOf } from '../policies/takings.ts';
import type { Takings } from '../policies/takings.ts';
import type { Evidence } from '../evidence.ts';
import type { Life } from '../past/lives.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';

/** So long a grant holds. Milliseconds. */
const grantedMs = 10 * 60_000;

/** A set of a deployment that a process has written. */
export interface Sized {
  judged: Case;
  set: Life;
  deployment: Life;
  finished: FinishedSets;
  takings: Takings;
}

export function questionOf({ judged, deployment }: Sized, from = judged.since): Question {
  const { past, now } = judged;
  return { past, deployment, reason: 'Rollout', span: { from, to: now } };
}

export function judgeNumbers(sized: Sized, taken: number): void {
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
export function grantedAt(sized: Sized): number {
  const grants = holdingFor(questionOf(sized)).flatMap((holding) => grantsOf(sized, holding));
  return Math.min(sized.judged.now, ...grants.map(({ takenAt }) => Date.parse(takenAt)));
}

type PolicyRule = Parameters<Evidence['rulings']['against']>[0];

export function accuse({ judged, set }: Sized, rule: PolicyRule, text: string): void {
  judged.evidence.rulings.against(rule, `${set.uid} ${judged.now}`, text);
}
