/** DisruptionPolicies, as users write them: windows of minutes, in zones from everywhere. */
import { DateTime } from 'luxon';
import { disruptionPolicy } from '../../../kube/client/paths.ts';
import type {
  DisruptionExclusion,
  DisruptionPolicySpec,
  DisruptionWindow,
} from '../../../workflows/api/disruption-policy.ts';
import { ownGroup } from '../../../workflows/api/constants.ts';
import type { Body } from '../../support/api-server/creation.ts';
import { policyKind } from '../judge/policies/policy-of.ts';
import { poolLabel } from './objects.ts';
import { minuteMs, pickedOf } from './user.ts';
import type { Picked, User } from './user.ts';

/** Whole hours from UTC, halves and quarters, and both sides of midnight. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
] as const;
export const policyNames = ['nights', 'weekends', 'pools'] as const;

export function policiesIn({ control, namespace }: User): Picked[] {
  const path = disruptionPolicy(namespace);
  return control.list(path).map((object) => pickedOf(path, object));
}

export function policyBody(user: User, name: string, spec: DisruptionPolicySpec): Body {
  const metadata = { name, namespace: user.namespace };
  return { apiVersion: `${ownGroup}/v1alpha1`, kind: policyKind, metadata, spec };
}

export function policySpec(user: User): DisruptionPolicySpec {
  const { chance } = user;
  return {
    ...(chance.happens(0.4) && { selector: selectorOf(user) }),
    ...(chance.happens(0.3) && { reasons: chance.pick(reasons).slice() }),
    ...(chance.happens(0.7) && { windows: windowsOf(user) }),
    ...(chance.happens(0.35) && { exclusions: [exclusionOf(user)] }),
    ...limitsOf(user),
  };
}

const reasons: readonly NonNullable<DisruptionPolicySpec['reasons']>[] = [
  ['Rollout'],
  ['Rollout', 'Repair'],
  ['Rollout', 'Replace', 'Repair'],
  ['Replace'],
];

function selectorOf(user: User): NonNullable<DisruptionPolicySpec['selector']> {
  const { chance } = user;
  const names = user
    .all('machinedeployments')
    .map(({ object }) => object.metadata.labels?.[poolLabel] ?? '');
  const chosen = names.filter(() => chance.happens(0.6));
  if (chosen.length === 1) return { matchLabels: { [poolLabel]: chosen[0] ?? '' } };
  const values = chosen.length === 0 ? ['none-such'] : chosen;
  return { matchExpressions: [{ key: poolLabel, operator: 'In', values }] };
}

export function windowsOf(user: User): DisruptionWindow[] {
  const { chance } = user;
  return Array.from({ length: chance.happens(0.2) ? 2 : 1 }, () => windowOf(user));
}

function windowOf(user: User): DisruptionWindow {
  const { chance } = user;
  const timeZone = chance.pick(zones);
  const isFaulty = chance.happens(0.03);
  const { schedule, minutes } = chance.happens(0.6) ? everyHour(user) : onceADay(user, timeZone);
  const lead = Math.round(minutes * chance.pick([0.1, 0.2, 0.5]));
  return {
    schedule,
    duration: `${minutes}m`,
    ...(timeZone !== 'UTC' && { timeZone }),
    ...(chance.happens(0.3) && { lead: chance.pick(['30s', `${lead}m`, `${lead}m`]) }),
    ...(isFaulty && chance.pick([{ timeZone: 'Mars/Phobos' }, { schedule: '0 3 30 2 *' }])),
  };
}

interface Hours {
  schedule: string;
  /** How long it is open. */
  minutes: number;
}

function everyHour({ chance }: User): Hours {
  const every = chance.pick([20, 30, 60]);
  const first = chance.below(every);
  const starts = Array.from({ length: 60 / every }, (_, index) => first + index * every);
  const minute = every === 20 && first === 0 ? '*/20' : starts.join(',');
  const share = chance.pick([0.3, 0.5, 0.7]);
  return { schedule: `${minute} * * * *`, minutes: Math.round(every * share) };
}

/** About now, by the clocks of the zone. */
function onceADay({ chance, now }: User, zone: string): Hours {
  const start = DateTime.fromMillis(now, { zone }).plus({
    minutes: Math.round(chance.between(-40, 40)),
  });
  const day = chance.happens(0.4) ? start.toFormat('ccc', { locale: 'en-GB' }).toUpperCase() : '*';
  const minutes = chance.pick([20, 45, 75]);
  return { schedule: `${start.minute} ${start.hour} * * ${day}`, minutes };
}

export function exclusionOf(user: User): DisruptionExclusion {
  const { chance } = user;
  const startMs = chance.between(-10, 15) * minuteMs;
  const lastsMs = chance.between(10, 30) * minuteMs;
  const reason = chance.happens(0.5) && { reason: 'Sale' };
  return { start: user.timeIn(startMs), end: user.timeIn(startMs + lastsMs), ...reason };
}

export function limitsOf({ chance }: User): Pick<DisruptionPolicySpec, 'atATime' | 'surge'> {
  const machines = chance.weighted(machinesAtATime);
  const deployments = chance.weighted(deploymentsAtATime);
  const atATime = {
    ...(machines !== undefined && { machines }),
    ...(deployments !== undefined && { deployments }),
  };
  const surge = deployments === 1 && chance.happens(0.5) && { surge: chance.pick([1, 2]) };
  return { ...(Object.keys(atATime).length > 0 && { atATime }), ...surge };
}

const machinesAtATime: readonly { value: number | string | undefined; weight: number }[] = [
  { value: undefined, weight: 4 },
  { value: 1, weight: 8 },
  { value: 2, weight: 4 },
  { value: '10%', weight: 2 },
  { value: '50%', weight: 2 },
  { value: 0, weight: 0.5 },
];
const deploymentsAtATime = [
  { value: undefined, weight: 2 },
  { value: 1, weight: 2 },
  { value: 2, weight: 1 },
];
