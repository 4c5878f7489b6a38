/** What DisruptionPolicies let the rollout of a deployment do now: read, and nothing taken. */
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { options } from '../../workflows/api/constants.ts';
import { defined } from '../../workflows/values/defined.ts';
import { surgeOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import type {
  ClosedGate,
  RolloutGate,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { nowMs } from '../system/system.ts';
import { isClosedFor, timesOf } from './answers.ts';
import type { GateDependencies } from './dependencies.ts';
import { readObjects } from './dependencies.ts';
import type { NamespaceObjects } from './going.ts';
import { goingOf, limitOf, noObjects } from './going.ts';
import { policiesFor } from './selecting.ts';
import type { Turn } from './turns.ts';
import { turnOf } from './turns.ts';
import { formatRoom } from './words.ts';

export interface RolloutTerms {
  gate: RolloutGate;
  /** Machines above `replicas` while it is its turn; absent: its own number. */
  surge?: number;
}

/** Undefined where no policy selects the deployment. */
export async function termsOfRollout(
  dependencies: GateDependencies,
  deployment: MachineDeployment,
): Promise<RolloutTerms | undefined> {
  const known = dependencies.policies.current();
  if (known.unreadable !== undefined) {
    const closed = { policy: '*', kind: 'fault', why: known.unreadable } as const;
    return { gate: { closed, until: nowMs() + unreadableAgainMs } };
  }
  const policies = policiesFor(known.policies, deployment, 'Rollout');
  if (policies.length === 0) return undefined;
  const namespace = deployment.metadata.namespace ?? '';
  const isCounted = policies.some(({ spec }) => spec.atATime !== undefined);
  const objects = isCounted ? await readObjects(dependencies, namespace) : noObjects;
  return termsAmong(known.policies, { deployment, objects, now: nowMs() });
}

/** That they can be read again is no news where there is none. */
const unreadableAgainMs = 5 * 60_000;

/** From values alone. `policies`: all of the namespace. */
export function termsAmong(
  policies: readonly DisruptionPolicy[],
  { deployment, objects, now }: Omit<Question, 'isClosed'>,
): RolloutTerms | undefined {
  const own = policiesFor(policies, deployment, 'Rollout');
  if (own.length === 0) return undefined;
  const isClosed = isClosedFor(policies, now);
  return termsFrom(own.map((policy) => answerOf(policy, { deployment, objects, isClosed, now })));
}

interface Question {
  deployment: MachineDeployment;
  objects: NamespaceObjects;
  isClosed(deployment: MachineDeployment): boolean;
  now: number;
}

interface Answer {
  closed?: ClosedGate;
  until?: number;
  machines?: NonNullable<RolloutGate['machines']>;
  surge?: number;
}

function answerOf(policy: DisruptionPolicy, question: Question): Answer {
  const { deployment, objects, now } = question;
  const { name } = policy.metadata;
  const { closed, until } = timesOf(policy, deployment, now);
  const turn = turnOf(policy, question);
  const isAwaited = closed?.kind !== 'fault' && turn?.state === 'waits';
  return defined({
    closed: isAwaited ? turnClosed(name, turn) : closed,
    until: isAwaited ? now + (turn.isTaken ? takenAgainMs : turnsAgainMs) : until,
    machines: roomIn(policy, { deployment, objects, now }),
    surge: surgeFrom(policy, deployment, turn),
  });
}

function turnClosed(policy: string, { why, isBlocked }: Turn & { state: 'waits' }): ClosedGate {
  return { policy, kind: 'turn', why, ...(isBlocked && { isBlocked }) };
}

/** The end of a turn is news, but not that its rollout is Blocked. */
const takenAgainMs = 30 * 60_000;

/** Who is the next has not taken the turn, and if it never does, that changes nothing here. */
const turnsAgainMs = 5 * 60_000;

function roomIn(
  policy: DisruptionPolicy,
  { deployment, objects, now }: Omit<Question, 'isClosed'>,
): Answer['machines'] {
  const limit = limitOf(policy, objects);
  if (limit === undefined) return undefined;
  const going = goingOf(policy, objects, { uid: deployment.metadata.uid, now });
  const count = Math.max(limit - going.all, 0);
  return { count, policy: policy.metadata.name, why: formatRoom(limit, going) };
}

/** Only a rolling update has machines above `replicas`. */
function surgeFrom(
  { spec: { surge = 0, atATime } }: DisruptionPolicy,
  { metadata, spec }: MachineDeployment,
  turn: Turn | undefined,
): number | undefined {
  const isOne = atATime?.deployments === 1 && turn !== undefined && turn.state !== 'waits';
  const isRolling = spec.strategy?.type === 'RollingUpdate';
  const isOnDelete = metadata.annotations?.[options.onDelete] === 'true';
  return isOne && isRolling && !isOnDelete && surge > surgeOf(spec) ? surge : undefined;
}

/** All must allow it. */
function termsFrom(answers: readonly Answer[]): RolloutTerms {
  const closed = answers.flatMap((answer) => answer.closed ?? []);
  const [last] = closed.toSorted(byEnd);
  const ends = answers.flatMap(({ until }) => until ?? []);
  const bounds = answers.flatMap(({ machines }) => machines ?? []);
  const surges = answers.flatMap(({ surge }) => surge ?? []);
  return defined({
    gate: defined({
      closed: last,
      until: ends.length === 0 ? undefined : Math.min(...ends),
      machines: bounds.toSorted((a, b) => a.count - b.count)[0],
    }),
    surge: surges.length === 0 ? undefined : Math.max(...surges),
  });
}

/** What ends last comes first: a fault only by a person, a turn at no known time. */
function byEnd(a: ClosedGate, b: ClosedGate): number {
  return kinds.indexOf(b.kind) - kinds.indexOf(a.kind) || (b.until ?? 0) - (a.until ?? 0);
}

const kinds: readonly ClosedGate['kind'][] = ['time', 'turn', 'fault'];

/** The deployment with the numbers of its turn. */
export function withSurge(deployment: MachineDeployment, surge: number): MachineDeployment {
  const { strategy } = deployment.spec;
  const rollingUpdate = { ...strategy?.rollingUpdate, maxSurge: surge, maxUnavailable: 0 };
  return {
    ...deployment,
    spec: { ...deployment.spec, strategy: { ...strategy, rollingUpdate } },
  };
}
