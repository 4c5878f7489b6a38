/** What a DisruptionPolicy says of itself: its status, written where it says something else. */
import type {
  DisruptionPolicy,
  DisruptionPolicyCondition,
  DisruptionPolicyStatus,
} from '../../workflows/api/disruption-policy.ts';
import { ownGroup } from '../../workflows/api/constants.ts';
import { defined } from '../../workflows/values/defined.ts';
import { canonical } from '../../workflows/values/names.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { timestamp } from '../../kube/objects/time.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { nowMs } from '../system/system.ts';
import { isNumberZero } from './answers.ts';
import { windowsAt } from './calendar.ts';
import type { GateDependencies } from './dependencies.ts';
import { readObjects } from './dependencies.ts';
import { faultsOf } from './faults.ts';
import type { NamespaceObjects } from './going.ts';
import { goingOf, limitOf } from './going.ts';
import { openGrants } from './grants.ts';
import { isComplete, isReady, rollingAmong } from './rolling.ts';
import { selects } from './selecting.ts';
import { liveTurns } from './turns.ts';
import { write } from './writing.ts';

/** For metrics. */
export interface PolicyFigures {
  name: string;
  isOpen: boolean;
  going: number;
  /** 0 also where it cannot be followed; undefined without a limit. */
  allowed?: number;
  waiting: number;
}

export type RefreshDependencies = GateDependencies & Pick<ActivityDependencies, 'namespace'>;

/** Reads nothing where there is no policy. */
export async function refreshPolicies(dependencies: RefreshDependencies): Promise<PolicyFigures[]> {
  const { policies = [] } = dependencies.policies.current();
  if (policies.length === 0) return [];
  const objects = await readObjects(dependencies, dependencies.namespace);
  const figures: PolicyFigures[] = [];
  for (const policy of policies) {
    const status = statusOf(policy, objects, nowMs());
    const { going = 0, waiting = 0, open: isOpen = false } = status;
    const allowed = faultsOf(policy).length > 0 ? 0 : limitOf(policy, objects);
    figures.push(defined({ name: policy.metadata.name, isOpen, going, waiting, allowed }));
    if (isSame(policy.status, status)) continue;
    // A time that never comes any more is taken away.
    if (!(await write(dependencies, policy, { until: null, ...status }))) continue;
    reportFaults(dependencies, policy, status);
  }
  return figures;
}

function isSame(stored: DisruptionPolicyStatus | undefined, status: object): boolean {
  return canonical(withoutEmpty(stored ?? {})) === canonical(withoutEmpty(status));
}

function withoutEmpty(status: object): object {
  return Object.fromEntries(
    Object.entries(status).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  );
}

/** Turns and grants that have ended are left out. */
export function statusOf(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  now: number,
): DisruptionPolicyStatus {
  const faults = faultsOf(policy);
  const isFaulty = faults.length > 0;
  const { isOpen, until, why } = windowsAt(policy.spec, now);
  return defined({
    observedGeneration: policy.metadata.generation,
    conditions: [acceptedIn(policy, faults, now)],
    open: !isFaulty && isOpen,
    until: isFaulty || until === undefined ? undefined : timestamp(until),
    message: isFaulty ? 'is closed, as it cannot be followed' : messageOf(policy, why),
    going: goingOf(policy, objects, { now }).all,
    waiting: waitingIn(policy, objects, now),
    turns: liveTurns(policy, objects).filter(({ uid }) => !isOver(uid, objects)),
    grants: openGrants(policy, objects, now),
  });
}

function messageOf(policy: DisruptionPolicy, why: string): string {
  return isNumberZero(policy) ? `${why}; atATime.machines is 0: no machine may be taken` : why;
}

/** Where the process that had the turn did not come to give it back. */
function isOver(turn: string, objects: NamespaceObjects): boolean {
  const found = objects.deployments.find(({ metadata }) => metadata.uid === turn);
  return found === undefined || isComplete(objects, found);
}

/** Machines of old sets, of those deployments that would go on if they might. */
function waitingIn(policy: DisruptionPolicy, objects: NamespaceObjects, now: number): number {
  const ready = objects.deployments.filter((one) => selects(policy, one) && isReady(one, now));
  return rollingAmong(objects, ready).reduce((sum, { left }) => sum + left, 0);
}

function acceptedIn(
  { metadata, status = {} }: DisruptionPolicy,
  faults: readonly string[],
  now: number,
): DisruptionPolicyCondition {
  const known = status.conditions?.find(({ type }) => type === 'Accepted');
  const isAccepted = faults.length === 0;
  const word = isAccepted ? 'True' : 'False';
  const since = known?.status === word ? known.lastTransitionTime : timestamp(now);
  return defined({
    type: 'Accepted',
    status: word,
    reason: isAccepted ? 'Accepted' : 'Invalid',
    message: isAccepted ? 'It is followed.' : faults.join('; '),
    lastTransitionTime: since,
    observedGeneration: metadata.generation,
  } as const);
}

/** An Event for each text that is new. */
function reportFaults(
  { control }: Pick<GateDependencies, 'control'>,
  { metadata, ...policy }: DisruptionPolicy,
  { conditions = [] }: DisruptionPolicyStatus,
): void {
  const [accepted] = conditions;
  const known = policy.status?.conditions?.find(({ type }) => type === 'Accepted');
  if (accepted?.status !== 'False' || accepted.message === known?.message) return;
  const { namespace = '', name, uid } = metadata;
  const apiVersion = `${ownGroup}/v1alpha1`;
  const subject = { apiVersion, kind: 'DisruptionPolicy', namespace, name, uid };
  recordEvent(control, subject, {
    type: 'Warning',
    reason: 'PolicyInvalid',
    message: `It is closed, as it cannot be followed: ${accepted.message}`,
    component: 'millwright',
  });
}
