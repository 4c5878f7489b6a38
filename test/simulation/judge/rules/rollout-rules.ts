/** The bounds of a RollingUpdate (MCM 7.5, 7.6; docs/rollouts.md). */
import { boundsOf } from '../bounds.ts';
import { isAvailable, isClosed, isDeleting, ownerOf, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { leastByPolicies, mostByPolicies } from '../policies/surge.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';
import { deletionsOf, firstChoiceSince, lastShrinkOf, wasReplacedSince } from './set-sizes.ts';

/**
 * From a choice to the size that it belongs to, at most: a server may refuse the size for minutes.
 * Milliseconds.
 */
const choiceMs = 600_000;
/** When a process of ours last made a set smaller. */
const shrunkAt = new WeakMap<Life, number>();
/** When processes of ours deleted an available machine of a deployment to make its sets smaller. */
const deletions = new WeakMap<Life, number[]>();

/** A set grows only as far as replicas and surge allow it. */
export function judgeScaling(judged: Case): void {
  const { past, after, now } = judged;
  const set = past.sets.of(after?.metadata.uid);
  const deployment = past.deployments.of(after && ownerOf(after));
  if (!set || !deployment) return;
  const [old, wanted] = sizesOf(judged);
  if (wanted < old) {
    shrunkAt.set(set, now);
    judgeChoice(judged, set, deployment);
  }
  if (wanted > old) judgeGrowth(judged, set, deployment);
}

/** The autoscaler's choice and the size go together (MCM 6.8). */
function judgeChoice(judged: Case, set: Life, deployment: Life): void {
  const from = judged.now - choiceMs;
  // Another wish of a user, or a rollout, is a reason of its own.
  const chosenAt = firstChoiceSince(set, from) ?? judged.now;
  const generations = new Set(
    deployment.states.since(chosenAt).map((object) => object?.metadata.generation),
  );
  const sets = [...judged.past.sets.ownedBy(deployment.uid)];
  const isRolling = sets.some((one) => one !== set && (one.last.spec?.replicas ?? 0) > 0);
  if (isRolling || generations.size > 1 || !wasReplacedSince(set, from)) return;
  const text = `${textOf(judged, 'shrank')} after machines that the autoscaler chose had gone and been replaced`;
  const rule = 'what goes with the size of its set is not replaced';
  judged.evidence.rulings.against(rule, `${set.uid} ${judged.now}`, text);
}

/** The size that it has now, if it was made smaller, is not of ours. */
export function isShrunkByOthers(set: Life): boolean {
  const at = lastShrinkOf(set);
  return at !== undefined && at !== shrunkAt.get(set);
}

/** Before and after. */
function sizesOf({ before, after }: Case): [number, number] {
  return [before?.spec?.replicas ?? 0, after?.spec?.replicas ?? 0];
}

function judgeGrowth(judged: Case, set: Life, deployment: Life): void {
  const { evidence, past, since, now } = judged;
  const [old, wanted] = sizesOf(judged);
  const bounds = boundsSince(deployment, since).map(({ most: of }) => of);
  const most = Math.max(...bounds, mostByPolicies(past, deployment, since));
  const others = [...past.sets.ownedBy(deployment.uid)].filter((other) => other !== set);
  const traces = others.flatMap(({ states, uid }) => [states, past.tallies.of(uid).present]);
  const moments = [since, ...traces.flatMap((trace) => trace.momentsSince(since))];
  const least = Math.min(...moments.map((at) => sizeAt(past, others, at)));
  if (least + wanted <= most) return;
  const text = `${textOf(judged, 'scaled')} from ${old} to ${wanted}: with ${least} of other sets that is more than ${most}`;
  evidence.rulings.against('never more than replicas and surge', `${set.uid} ${now}`, text);
}

function sizeAt({ tallies }: Case['past'], sets: readonly Life[], at: number): number {
  const sizes = sets.map(({ uid, states }) => {
    const object = states.at(at);
    if (!object || isDeleting(object)) return 0;
    const { replicas = 0 } = object.spec ?? {};
    // One that is closed makes nothing, and a machine that was updated in place has left it.
    return isClosed(object) ? Math.min(replicas, tallies.of(uid).present.at(at)) : replicas;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function boundsSince(deployment: Life, since: number) {
  return deployment.states.since(since).flatMap((object) => (object ? [boundsOf(object)] : []));
}

/**
 * A machine that runs is deleted for the size of its set only while enough others are available.
 * Called after the deletion.
 */
export function judgeAvailability(judged: Case, set: Life): void {
  const { past, before, now } = judged;
  const deployment = past.deployments.of(ownerOf(set.last));
  if (!before || !isAvailable(before) || !deployment?.object) return;
  const recent = deletions.get(deployment) ?? [];
  deletions.set(deployment, [...recent, now]);
  const decidedAt = shrunkAt.get(set);
  const isOurs = decidedAt !== undefined && decidedAt === lastShrinkOf(set);
  if (!isPreferred(before) && isOurs) judgeLoss(judged, { set, deployment, decidedAt, recent });
}

function judgeLoss(judged: Case, decided: Decided): void {
  const staying = stayingOf(judged, decided);
  const deleted = deletionsOf(decided.set).filter((at) => at >= decided.decidedAt);
  if (staying >= deleted.length || wasEnough(judged, decided, staying)) return;
  const { evidence, before } = judged;
  const { deployment } = decided;
  const least = leastOf(judged, decided);
  const text = `${textOf(judged, 'deleted')} of ${deployment.last.metadata.name}, of which ${least} have to be available`;
  evidence.rulings.against(
    'never fewer than maxUnavailable allows',
    before?.metadata.uid ?? '',
    text,
  );
}

interface Decided {
  set: Life;
  deployment: Life;
  /** When the set was made smaller. */
  decidedAt: number;
  /** When available machines of the deployment were deleted before. */
  recent: readonly number[];
}

/** What it was decided by may have been read at any moment from then on. */
function readSince({ since, now }: Case, { decidedAt }: Decided): number {
  return Math.min(since, decidedAt - (now - since));
}

function leastOf(judged: Case, decided: Decided): number {
  const { deployment } = decided;
  const from = readSince(judged, decided);
  const own = Math.min(...boundsSince(deployment, from).map(({ least }) => least));
  return Math.max(own, leastByPolicies(judged.past, deployment, { from, to: judged.now }));
}

/**
 * At some moment enough machines besides this one and those deleted since then were available.
 *
 * @param staying Machines that this one and others go for.
 */
function wasEnough(judged: Case, decided: Decided, staying: number): boolean {
  const { past } = judged;
  const { deployment, recent } = decided;
  const since = readSince(judged, decided);
  // One that lost its owner since then, and is adopted again, was counted.
  const isOf = (object: JudgedObject): boolean => ownerOf(object) === deployment.uid;
  const sets = past.sets.present().filter((other) => other.wasSince(since, isOf));
  const tallies = sets.map(({ uid }) => past.tallies.of(uid).available);
  const kept = failedKept(past, { sets, since });
  // A set that is gone has no tally any more, but its deletions are among the recent ones.
  const moments = [
    ...tallies.flatMap((available) => available.momentsSince(since)),
    // As many may be available all the time, and enough only once a Failed one is kept.
    ...kept.flatMap(({ states }) => states.momentsSince(since)),
    ...recent.filter((at) => at > since),
  ];
  const least = leastOf(judged, decided) - staying - spared(judged, decided, { sets, since });
  return moments.some((moment) => {
    const available = tallies.reduce((sum, tally) => sum + tally.at(moment), 0);
    const left = available - recent.filter((at) => at > moment).length - 1;
    return left >= least - kept.filter(({ states }) => isKeptFailed(states.at(moment))).length;
  });
}

/**
 * A rollout shrinks an old set by its machines that do not run, without regard to availability (MCM
 * 7.6). The set learns only its new size, and deletes another machine if that one has come up
 * meanwhile, or is kept by a wish of a user that came later: what is kept goes last.
 */
function stayingOf({ past }: Case, { set, decidedAt }: Decided): number {
  return [...past.machines.ownedBy(set.uid)].filter(({ bornAt, states, object }) => {
    const then = bornAt <= decidedAt ? states.at(decidedAt) : undefined;
    if (!then || isDeleting(then) || isAvailable(then) || !object) return false;
    return isAvailable(object) || (isKept(object) && !isKept(then));
  }).length;
}

function isKept({ status }: JudgedObject): boolean {
  return Boolean(status?.currentStatus?.preserveExpiryTime);
}

/** A choice of people or of the autoscaler goes before availability (MCM 6.6). */
function isPreferred({ metadata }: JudgedObject): boolean {
  const { annotations = {} } = metadata;
  const usual = 3;
  const priority = Number(annotations['machinepriority.machine.sapcloud.io'] ?? usual);
  return priority < usual || 'machine.sapcloud.io/delete-machine' in annotations;
}

function isKeptFailed(machine: JudgedObject | undefined): boolean {
  return machine !== undefined && phaseOf(machine) === 'Failed' && expiryOf(machine) !== undefined;
}

/** Failed machines that were kept for inspection at some moment: they may be missing then. */
function failedKept({ machines }: Case['past'], { sets, since }: Read): Life[] {
  const lives = sets.flatMap(({ uid }) => [...machines.ownedBy(uid)]);
  return lives.filter((life) => life.wasSince(since, isKeptFailed));
}

/**
 * Where a user wants fewer machines, a set that shrinks for that deletes those last that are kept,
 * also before they fail (docs/preservation.md): with the new size they are all that some have.
 */
function spared({ past }: Case, { deployment }: Decided, read: Read): number {
  const { sets, since } = read;
  if (!wasMadeSmaller(deployment, since)) return 0;
  const shrunk = sets.filter((set) => wasMadeSmaller(set, since));
  const isSpared = (machine: JudgedObject): boolean =>
    (expiryOf(machine) ?? -Infinity) > since && !isDeleting(machine) && !isAvailable(machine);
  return objectsOf(past.machines, shrunk).filter(
    (machine) => phaseOf(machine) !== 'Failed' && isSpared(machine),
  ).length;
}

interface Read {
  sets: readonly Life[];
  /** What was decided by was read then at the earliest. */
  since: number;
}

function objectsOf(machines: Case['past']['machines'], sets: readonly Life[]): JudgedObject[] {
  return sets
    .flatMap(({ uid }) => [...machines.ownedBy(uid)])
    .flatMap(({ object }) => object ?? []);
}

function expiryOf({ status }: JudgedObject): number | undefined {
  const { preserveExpiryTime } = status?.currentStatus ?? {};
  return preserveExpiryTime ? Date.parse(preserveExpiryTime) : undefined;
}

function wasMadeSmaller({ states }: Life, since: number): boolean {
  const sizes = states.since(since).map((object) => object?.spec?.replicas ?? 0);
  return sizes.some((size, index) => size < (sizes[index - 1] ?? 0));
}
