/** Whether deployments wait for DisruptionPolicies as long as these are closed, and say so. */
import type { Install } from '../../../world/world.ts';
import type { Evidence } from '../../evidence.ts';
import { conditionOf, isDeleting } from '../../objects.ts';
import type { JudgedObject } from '../../objects.ts';
import type { ClusterPast } from '../../past/cluster-past.ts';
import type { Life } from '../../past/lives.ts';
import { isFaulty, isOpenThroughout } from '../../policies/calendar.ts';
import { clockMs, closedFor } from '../../policies/gates.ts';
import { onTheirWay } from '../../policies/on-their-way.ts';
import { policyOf, selects } from '../../policies/policy-of.ts';
import { activeSets } from '../../policies/takings.ts';
import { isOfTemplate } from '../../templates.ts';
import { ownersIn } from './owned.ts';
import type { Overdue, Passing } from './passing.ts';
import { minuteMs } from './passing.ts';
import { isRefused } from './refusals.ts';

/** What it says of a moment ago may be of before that. */
const settledMs = 10 * minuteMs;
const ofAPerson = ['canary', 'rollout-after', 'on-delete', 'rolled-back-from'];

export const policyStates: readonly Passing[] = [
  { rule: 'a deployment says which policy it waits for', patienceMs: settledMs, find: silent },
  {
    rule: 'a rollout does not wait for a policy that is open',
    patienceMs: settledMs,
    find: waitingForNothing,
  },
  { rule: 'a turn is given back', patienceMs: 20 * minuteMs, find: keptTurns },
];

function silent(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  const { now } = evidence.simulation;
  if (isRefused(evidence, install, ['PATCH', 'machinedeployments'])) return [];
  return ownersIn(install, past.deployments.present()).flatMap((deployment) => {
    const { last, uid } = deployment;
    if (!isRolling(past, deployment) || mayWaitForOthers(last)) return [];
    const span = { from: now - settledMs, to: now };
    const closed = closedFor({ past, deployment, reason: 'Rollout', span });
    const { status, reason, message = '' } = conditionOf(last, 'Progressing') ?? {};
    const isSaid = message.includes('DisruptionPolic') || status === 'False';
    if (!closed || isSaid) return [];
    const { name } = last.metadata;
    const text = `MachineDeployment ${name} waits for DisruptionPolicy ${closed.last.metadata.name} and says "${reason}: ${message}"`;
    return [{ subject: uid, text }];
  });
}

/** Of old sets machines are to go, and none of them was that of the rollout before. */
function isRolling(past: ClusterPast, deployment: Life): boolean {
  const { last } = deployment;
  const sets = activeSets(past, deployment);
  // One that goes back waits for nothing.
  const isNew = Array.from(past.sets.ownedBy(deployment.uid)).every(
    (set) => !isOfTemplate(set.last, last) || (set.last.spec?.replicas ?? 0) === 0,
  );
  return isNew && sets.some((set) => !isOfTemplate(set.last, last));
}

/** For a person, a time or something else that is wrong. */
function mayWaitForOthers({ metadata, spec }: JudgedObject): boolean {
  const keys = Object.keys(metadata.annotations ?? {});
  const isWide = Object.keys(spec?.selector?.matchLabels ?? {}).length === 0;
  return (
    spec?.paused === true ||
    isWide ||
    spec?.strategy?.type === 'InPlaceUpdate' ||
    ofAPerson.some((option) => keys.includes(`millwright.dev/${option}`))
  );
}

function waitingForNothing(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  const { now } = evidence.simulation;
  const isHidden = evidence.authorityOf(install).arePoliciesHidden.now;
  if (isHidden || isRefused(evidence, install, ['PATCH', 'machinedeployments'])) return [];
  return ownersIn(install, past.deployments.present()).flatMap((deployment) => {
    const { last, uid } = deployment;
    const { reason, message = '' } = conditionOf(last, 'Progressing') ?? {};
    // Those that may not be read, or are being read, have no name.
    const [, name] = /DisruptionPolicy (\*|[a-z]+):/.exec(message) ?? [];
    if (name === undefined || reason !== 'DeploymentPaused') return [];
    const policy = past.policies.named(install.namespace, name);
    if (policy && !hasBeenOpen(past, { policy, deployment, now })) return [];
    const text = `MachineDeployment ${last.metadata.name} says "${message}"`;
    return [{ subject: uid, text }];
  });
}

interface Pair {
  policy: Life;
  deployment: Life;
  now: number;
}

/** And no number bounds it. */
function hasBeenOpen(past: ClusterPast, { policy, deployment, now }: Pair): boolean {
  const { spec, status = {} } = policyOf(policy.last);
  const span = { from: now - settledMs - clockMs, to: now };
  const { machines, deployments } = spec.atATime ?? {};
  if (isFaulty(spec) || machines === 0 || !isOpenThroughout(spec, span)) return false;
  const isOurTurn = (status.turns ?? []).some(({ uid }) => uid === deployment.uid);
  if (deployments !== undefined && !isOurTurn) return false;
  return machines === undefined || !isSomethingGoing(past, policy, now);
}

function isSomethingGoing(past: ClusterPast, { last }: Life, now: number): boolean {
  const policy = policyOf(last);
  return past.deployments
    .present()
    .filter(({ last: one }) => one.metadata.namespace === last.metadata.namespace)
    .filter(({ last: one }) => selects(policy, one))
    .flatMap(({ uid }) => Array.from(past.sets.ownedBy(uid)))
    .some((set) => onTheirWay(past, set, now) > 0);
}

function keptTurns(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (evidence.authorityOf(install).arePoliciesHidden.now) return [];
  return ownersIn(install, past.policies.present()).flatMap(({ uid, last }) =>
    (policyOf(last).status?.turns ?? []).flatMap((turn) => {
      const deployment = past.deployments.of(turn.uid)?.object;
      const isOver = !deployment || isDeleting(deployment) || isComplete(deployment);
      if (!isOver || policyOf(last).spec.atATime?.deployments === undefined) return [];
      const text = `DisruptionPolicy ${last.metadata.name} keeps the turn of ${turn.deployment}`;
      return [{ subject: `${uid} ${turn.uid}`, text }];
    }),
  );
}

function isComplete(deployment: JudgedObject): boolean {
  const { status, metadata } = deployment;
  const { reason } = conditionOf(deployment, 'Progressing') ?? {};
  const isOfSpec = status?.observedGeneration === metadata.generation;
  return isOfSpec && reason === 'NewMachineSetAvailable';
}
