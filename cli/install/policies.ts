/** DisruptionPolicies by their status, and the machines that go or wait under each. */
import { isNumberZero } from '../../activities/disruption/answers.ts';
import { zoneOf } from '../../activities/disruption/calendar.ts';
import { isCountedGoing } from '../../activities/disruption/going.ts';
import { selects } from '../../activities/disruption/selecting.ts';
import { isTimeZone, textOf } from '../../activities/disruption/time-zone.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { defined } from '../../workflows/values/defined.ts';
import { formatAge } from '../terminal/age.ts';
import type { Install } from './install.ts';
import type { Pool } from './pools.ts';
import { poolsOf } from './pools.ts';
import { machinesOf } from './rollout.ts';
import { isoOf, timeOf } from './times.ts';

export interface PolicyStatus {
  namespace: string;
  name: string;
  /** Windows and exclusions let machines be taken; undefined: no worker has said it yet. */
  isOpen: boolean | undefined;
  /** When that changes by itself, milliseconds. */
  until: number | undefined;
  /** Zone of its times, as people read them. */
  timeZone: string;
  /** Why it cannot be followed, so that it is closed. */
  fault: string | undefined;
  /** Milliseconds. */
  invalidSince: number | undefined;
  /** `atATime.machines` is 0: no machine may go at any time. */
  allowsNone: boolean;
  /** Machines on their way, and machines that wait to be taken. */
  going: number;
  waiting: number;
  /** What it waits for, in the words of its status. */
  message: string | undefined;
  /** Those that it selects and that have such machines. */
  deployments: readonly PolicyDeployment[];
}

export interface PolicyDeployment {
  name: string;
  going: number;
  waiting: number;
}

/** By namespace and name. */
export function policiesOf(install: Install): PolicyStatus[] {
  const { pools } = poolsOf(install);
  return install.policies
    .map((policy) => statusOf(policy, pools))
    .toSorted((a, b) => a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name));
}

/** Those that select a deployment. */
export function policiesFor(deployment: MachineDeployment, install: Install): PolicyStatus[] {
  const selecting = install.policies.filter((policy) => concerns(policy, deployment));
  return policiesOf({ ...install, policies: selecting });
}

/** Those that hold a rollout, by the words for which it is held. */
export function holdingAmong(policies: readonly PolicyStatus[], hold: string): PolicyStatus[] {
  return policies.filter(({ name }) => hold.includes(`DisruptionPolicy ${name}:`));
}

function concerns(policy: DisruptionPolicy, deployment: MachineDeployment): boolean {
  const isNear = policy.metadata.namespace === deployment.metadata.namespace;
  return isNear && selects(policy, deployment);
}

function statusOf(
  policy: DisruptionPolicy,
  pools: readonly (Pool & { deployment: MachineDeployment })[],
): PolicyStatus {
  const { metadata, spec, status = {} } = policy;
  const counted = pools
    .filter(({ deployment }) => concerns(policy, deployment))
    .map(countsOf)
    .filter(({ going, waiting }) => going + waiting > 0);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    isOpen: status.open,
    until: timeOf(status.until),
    timeZone: zoneOf(spec),
    ...faultIn(policy),
    allowsNone: isNumberZero(policy),
    going: status.going ?? sumOf(counted, 'going'),
    waiting: status.waiting ?? sumOf(counted, 'waiting'),
    message: status.message,
    deployments: counted,
  };
}

function faultIn({ status }: DisruptionPolicy): Pick<PolicyStatus, 'fault' | 'invalidSince'> {
  const accepted = status?.conditions?.find(({ type }) => type === 'Accepted');
  if (accepted?.status !== 'False') return { fault: undefined, invalidSince: undefined };
  const { reason, message, lastTransitionTime } = accepted;
  return { fault: `${reason}: ${message}`, invalidSince: timeOf(lastTransitionTime) };
}

/** What waits are the old machines of a rollout. */
function countsOf({
  deployment,
  sets,
}: Pool & { deployment: MachineDeployment }): PolicyDeployment {
  const { fresh, old } = machinesOf({ deployment, sets });
  return {
    name: deployment.metadata.name,
    going: [...fresh, ...old].filter(isCountedGoing).length,
    waiting: old.filter((machine) => !isCountedGoing(machine)).length,
  };
}

function sumOf(counted: readonly PolicyDeployment[], of: 'going' | 'waiting'): number {
  return counted.reduce((sum, one) => sum + one[of], 0);
}

/** `open`, `closed`; `invalid` where it cannot be followed; `-` where nothing is known. */
export function openingOf({ isOpen, fault }: PolicyStatus): string {
  if (fault !== undefined) return 'invalid';
  if (isOpen === undefined) return '-';
  return isOpen ? 'open' : 'closed';
}

/** `Sat 2026-12-05 02:00 CET (in 3h)`; undefined where nothing changes by itself. */
export function changeOf(
  { until, timeZone }: Pick<PolicyStatus, 'until' | 'timeZone'>,
  now: number,
): string | undefined {
  if (until === undefined) return undefined;
  const time = textOf(until, isTimeZone(timeZone) ? timeZone : 'UTC');
  return `${time} (${until > now ? `in ${formatAge(until - now)}` : 'now'})`;
}

/** A sentence without a full stop. */
export function policyInWords(policy: PolicyStatus, now: number): string {
  const { name, fault, allowsNone } = policy;
  const change = changeOf(policy, now);
  const opening = openingOf(policy);
  const state = opening === '-' ? 'is not taken up yet' : `is ${opening}`;
  return [
    `${name} ${state}${change === undefined ? '' : ` until ${change}`}`,
    ...(fault === undefined ? [] : [fault]),
    ...(allowsNone ? ['it allows 0 machines at a time'] : []),
    `${machines(policy.going)} on the way${namesOf(policy, 'going')}`,
    `${machines(policy.waiting)} waiting${namesOf(policy, 'waiting')}`,
  ].join('; ');
}

function machines(count: number): string {
  return `${count} ${count === 1 ? 'machine' : 'machines'}`;
}

function namesOf({ deployments }: PolicyStatus, of: 'going' | 'waiting'): string {
  const named = deployments.filter((one) => one[of] > 0);
  if (named.length === 0) return '';
  return ` (${named.map((one) => `${one.name} ${one[of]}`).join(', ')})`;
}

export function policyData(policy: PolicyStatus): object {
  const { namespace, name, isOpen, until, timeZone, fault, message } = policy;
  return defined({
    namespace,
    name,
    open: isOpen,
    until: until === undefined ? undefined : isoOf(until),
    timeZone,
    fault,
    message,
    going: policy.going,
    waiting: policy.waiting,
    deployments: policy.deployments,
  });
}
