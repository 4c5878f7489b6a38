/** Machines that are updated and not replaced (MCM 7.9; docs/decisions/0059). */
import { boundsOf } from '../bounds.ts';
import { parseGoDuration } from '../durations.ts';
import {
  isInPlace,
  isSelected,
  isUpdating,
  momentsOf,
  nodeLifeOf,
  reasonOf,
  resultOf,
  standingAt,
  stopsAtFailure,
} from '../in-place.ts';
import type { Standing } from '../in-place.ts';
import { isAvailable, isDeleting, matches, ownerOf, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { staleMs } from '../past/authority.ts';
import { clockMs, closedFor } from '../policies/gates.ts';
import { mostByPolicies } from '../policies/surge.ts';
import { isOfTemplate } from '../templates.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';
import { isGivenUp } from './failure-rules.ts';
import { isShrunkByOthers } from './rollout-rules.ts';
import { creationsOf, deletionsOf } from './set-sizes.ts';

/** What was granted inside a window may be carried out after its end. Milliseconds. */
const grantedMs = 10 * 60_000;
/** Clocks differ by half a minute, and a time on an object has no fractions. */
const slackMs = 90_000;
const defaultUpdateMs = 20 * 60_000;

interface Selection {
  at: number;
  wasAvailable: boolean;
}

/** Of a deployment: when our processes selected Nodes. */
const selections = new WeakMap<Life, Selection[]>();

/** A process labels a Node: its machine is drained and updated next. */
export function judgeSelection(judged: Case): void {
  const { evidence, install, before, after, write, now } = judged;
  if (!before || !after || isSelected(before) || !isSelected(after) || write.isAgain) return;
  // It has been updated without that, and is only marked so that it is found.
  if (resultOf(before) !== undefined) return;
  const [machine] = Array.from(evidence.controlOf(install).naming(after.spec?.providerID ?? ''));
  const deployment = machine && deploymentOf(judged, machine);
  if (!machine || !deployment) {
    const text = `${textOf(judged, 'selected')}, which is of no deployment`;
    evidence.rulings.against('a Node is selected while it may be', after.metadata.uid, text);
    return;
  }
  const earlier = selections.get(deployment) ?? [];
  const one = { at: now, wasAvailable: isAvailable(machine.last) };
  selections.set(deployment, [...earlier, one]);
  judgeRoom({ judged, deployment, machine, ours: [...earlier, one] });
  judgeTime(judged, deployment);
}

function deploymentOf({ evidence, install }: Case, { object }: Life): Life | undefined {
  const control = evidence.controlOf(install);
  const set = object && control.sets.of(ownerOf(object));
  const deployment = set && control.deployments.of(ownerOf(set.last));
  return deployment?.object && deployment;
}

interface Selected {
  judged: Case;
  deployment: Life;
  machine: Life;
  ours: readonly Selection[];
}

/** At some moment by which it may have been decided there was room for it. */
function judgeRoom({ judged, deployment, machine, ours }: Selected): void {
  const { evidence, install, since, now } = judged;
  const place = { control: evidence.controlOf(install), target: evidence.targetOf(install) };
  const moments = momentsOf(place, deployment, since).filter((at) => at < now);
  const faults = moments.map((at) => {
    const standing = standingAt(place, deployment, at);
    const later = ours.filter((selection) => selection.at > at);
    const wanted = deployment.states.at(at);
    const was = machine.states.at(at);
    return wanted && was && faultOf(standing, { wanted, later, isWell: isAvailable(was) });
  });
  if (faults.length === 0 || faults.includes(undefined)) return;
  const text = `${textOf(judged, 'selected')} of ${deployment.last.metadata.name}: ${faults.at(-1)}`;
  const rule = 'no more are updated at once than maxUnavailable allows';
  evidence.rulings.against(rule, `${machine.uid} ${now}`, text);
}

interface Question {
  wanted: JudgedObject;
  /** Of ours since then, with this one. */
  later: readonly Selection[];
  /** This machine was available. */
  isWell: boolean;
}

function faultOf(standing: Standing, { wanted, later, isWell }: Question): string | undefined {
  const { present, available, selected, selectedAvailable, newUnavailable } = standing;
  const { replicas = 0 } = wanted.spec ?? {};
  const { least } = boundsOf(wanted);
  const room = replicas - least + Math.max(0, present - replicas);
  const out = selected + newUnavailable + later.length;
  if (out > room) return `${out} are out, allowed are ${room}`;
  const left = available - selectedAvailable - later.filter((one) => one.wasAvailable).length;
  // One that does not work costs nothing.
  return isWell && left < least ? `${left} are left, ${least} have to be available` : undefined;
}

function judgeTime(judged: Case, deployment: Life): void {
  const { evidence, install, since, now, after } = judged;
  const past = evidence.controlOf(install);
  const uid = `${after?.metadata.uid} ${now}`;
  const isHeld = deployment.hasBeenSince(since, ({ spec }) => spec?.paused === true);
  const isOther = !deployment.wasSince(since, isInPlace);
  if (isHeld || isOther) {
    const why = isHeld ? 'is paused' : 'is not updated in place';
    const text = `${textOf(judged, 'selected')} of ${deployment.last.metadata.name}, which ${why}`;
    evidence.rulings.against('a Node is selected while it may be', uid, text);
  }
  const span = { from: Math.min(since, now - grantedMs - clockMs), to: now };
  const closed = closedFor({ past, deployment, reason: 'Rollout', span });
  if (!closed) return;
  const text = `${textOf(judged, 'selected')} of ${deployment.last.metadata.name} while DisruptionPolicy ${closed.last.metadata.name} was closed`;
  evidence.rulings.against('nothing is taken while a policy is closed', uid, text);
}

/** From one set to another, with the labels of that, once its Node has been updated. */
export function judgeMove(judged: Case): void {
  const { evidence, past, before, after, now } = judged;
  const [from, to] = [before, after].map((machine) => machine && ownerOf(machine));
  if (!before || !after || from === undefined || to === undefined || from === to) return;
  const fault = faultOfMove(judged, { from, to });
  if (fault === undefined) return;
  const name = past.sets.of(to)?.last.metadata.name;
  const text = `${textOf(judged, 'moved')} to set ${name}, ${fault}`;
  const rule = 'a machine moves when it is updated';
  evidence.rulings.against(rule, `${after.metadata.uid} ${now}`, text);
}

function faultOfMove(judged: Case, { from, to }: { from: string; to: string }): string | undefined {
  const { past, after, since } = judged;
  const [old, next] = [past.sets.of(from), past.sets.of(to)];
  const deployment = next && past.deployments.of(ownerOf(next.last));
  if (!next || !deployment) return 'which is of no deployment';
  if (old && ownerOf(old.last) !== deployment.uid) return 'which is of another deployment';
  if (!after || !matches(after, next.last)) return 'without the labels of that set';
  const isWanted = deployment.wasSince(since, (object) => isOfTemplate(next.last, object));
  if (!isWanted) return 'which is not that of the template';
  if (!deployment.wasSince(since, isInPlace)) return 'which is not updated in place';
  return faultOfMachine(judged);
}

function faultOfMachine({ evidence, install, before, after, since }: Case): string | undefined {
  const owners = after?.metadata.ownerReferences?.filter(({ controller }) => controller) ?? [];
  if (owners.length !== 1) return `with ${owners.length} owners`;
  if (before && phaseOf(before) === 'InPlaceUpdating') return 'while it is being updated';
  const node = before && nodeLifeOf(evidence.targetOf(install), before);
  if (!node) return 'without a Node';
  const isUpdated = node.wasSince(since, (one) => resultOf(one) === 'successful');
  return isUpdated ? undefined : `although Node ${node.last.metadata.name} was not updated`;
}

/** Of a set that is too large, a machine goes only where its deployment has too many. */
export function judgeKept(judged: Case, set: Life): void {
  const { evidence, before, since, now } = judged;
  const deployment = inPlaceOf(judged, set);
  if (!deployment || !before || isShrunkByOthers(set) || isOverdue(judged, set)) return;
  const sets = setsOf(judged, deployment);
  const moments = momentsIn(judged, deployment, since);
  const had = moments.some((at) => {
    const gone = sets.flatMap(deletionsOf).filter((when) => when > at).length;
    const { replicas = 0 } = deployment.states.at(at)?.spec ?? {};
    return presentAt(judged, sets, at) - gone >= replicas;
  });
  if (had) return;
  const text = `${textOf(judged, 'deleted')} of ${deployment.last.metadata.name}, which has no more than its replicas`;
  evidence.rulings.against('an update in place keeps its machines', `${set.uid} ${now}`, text);
}

/** It was too large all the time: what goes now could not be deleted before. */
function isOverdue({ past, since }: Case, set: Life): boolean {
  const { replicas = 0 } = set.last.spec ?? {};
  const isSame = set.states.since(since).every((one) => (one?.spec?.replicas ?? 0) === replicas);
  return isSame && past.tallies.of(set.uid).present.at(since) > replicas;
}

/** Called when the creation is noted. */
export function judgeMade(judged: Case, set: Life): void {
  const { evidence, past, since, now, after } = judged;
  const deployment = inPlaceOf(judged, set);
  const { forgotAt = -Infinity } = evidence.world.temporal;
  const isRestored = now - Math.max(forgotAt, past.restoredAt ?? -Infinity) < 3 * staleMs;
  if (!deployment || isRestored) return;
  const sets = setsOf(judged, deployment);
  const byPolicies = mostByPolicies(past, deployment, since);
  const had = momentsIn(judged, deployment, since).some((at) => {
    const made = sets.flatMap(creationsOf).filter((when) => when > at).length;
    const wanted = deployment.states.at(at);
    const { most } = boundsOf(wanted ?? deployment.last);
    return presentAt(judged, sets, at) + made <= Math.max(most, byPolicies);
  });
  if (had) return;
  const text = `${textOf(judged, 'created')} ${after?.metadata.name} of ${deployment.last.metadata.name}, which lacks none`;
  evidence.rulings.against('an update in place makes no machine', `${set.uid} ${now}`, text);
}

/** Of this set, where it has been updated in place all the time. */
function inPlaceOf({ past, since }: Case, set: Life): Life | undefined {
  const deployment = past.deployments.of(ownerOf(set.last));
  const isSo = deployment?.hasBeenSince(
    since,
    (object) => isInPlace(object) && !isDeleting(object),
  );
  return isSo === true ? deployment : undefined;
}

function setsOf({ past }: Case, { uid }: Life): Life[] {
  return Array.from(past.sets.ownedBy(uid));
}

function momentsIn(judged: Case, deployment: Life, since: number): number[] {
  const { tallies } = judged.past;
  const sets = setsOf(judged, deployment);
  const traces = [...sets.map(({ uid }) => tallies.of(uid).present), deployment.states];
  return traces.flatMap((trace) => trace.momentsSince(since)).filter((at) => at < judged.now);
}

function presentAt({ past }: Case, sets: readonly Life[], at: number): number {
  return sets.reduce((sum, { uid }) => sum + past.tallies.of(uid).present.at(at), 0);
}

/** A machine becomes InPlaceUpdateFailed, or Failed after that; its health says nothing of it. */
export function judgeUpdateFailure(judged: Case): void {
  const { before, after } = judged;
  if (!before || !after || phaseOf(before) === phaseOf(after)) return;
  if (isUpdating(before) && isJudged(judged, after)) accuseOfHealth(judged);
  if (phaseOf(after) === 'InPlaceUpdateFailed') judgeResult(judged);
  if (phaseOf(after) === 'Failed' && phaseOf(before) === 'InPlaceUpdateFailed') judgeStop(judged);
}

/** It is ill, or works, as if no agent had its Node. */
function isJudged({ evidence, install, since }: Case, machine: JudgedObject): boolean {
  const node = nodeLifeOf(evidence.targetOf(install), machine);
  const isUnfinished = node?.hasBeenSince(since, (one) =>
    ['DrainSuccessful', 'ReadyForUpdate', 'UpdateFailed'].includes(reasonOf(one)),
  );
  return (
    phaseOf(machine) === 'Unknown' || (phaseOf(machine) === 'Running' && isUnfinished === true)
  );
}

function accuseOfHealth(judged: Case): void {
  const { evidence, before, now } = judged;
  const text = `${textOf(judged, 'judged the health of')}, which was ${before && phaseOf(before)}`;
  const rule = 'a machine is not judged while it is updated';
  evidence.rulings.against(rule, `${before?.metadata.uid} ${now}`, text);
}

function judgeResult(judged: Case): void {
  const { evidence, install, past, before, after, since, now } = judged;
  const life = past.machines.of(after?.metadata.uid);
  if (!before || !life) return;
  const node = nodeLifeOf(evidence.targetOf(install), before);
  if (!node || node.wasSince(since, (one) => resultOf(one) === 'failed')) return;
  const timeouts = life.states.since(since).flatMap((one) => one?.spec ?? []);
  const limits = timeouts.map(
    ({ inPlaceUpdateTimeout }) => parseGoDuration(inPlaceUpdateTimeout) ?? defaultUpdateMs,
  );
  const from = now - Math.max(0, Math.min(...limits) - slackMs);
  const moments = life.states.momentsSince(from).filter((at) => at < now);
  const isTimeUp = moments.every(
    (at) => phaseOf(life.states.at(at) ?? before) === 'InPlaceUpdating',
  );
  if (isTimeUp) return;
  const text = `${textOf(judged, 'let')} fail its update, which Node ${node.last.metadata.name} does not say`;
  const rule = 'an update fails when the agent says so or its time is up';
  evidence.rulings.against(rule, `${life.uid} ${now}`, text);
}

function judgeStop(judged: Case): void {
  const { evidence, past, before, after, since, now } = judged;
  const { providerID } = before?.spec ?? {};
  const set = before && past.sets.of(ownerOf(before));
  const deployment = set && past.deployments.of(ownerOf(set.last));
  if (!before || !after || isGivenUp(after)) return;
  if (providerID === undefined || !evidence.instances.isLiving(providerID)) return;
  if (!deployment?.hasBeenSince(since, stopsAtFailure)) return;
  const text = `${textOf(judged, 'let')} fail, and its deployment ${deployment.last.metadata.name} is to stop there`;
  const rule = 'a failed update that stops a rollout replaces nothing';
  evidence.rulings.against(rule, `${before.metadata.uid} ${now}`, text);
}
