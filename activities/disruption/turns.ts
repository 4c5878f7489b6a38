/** Deployments that roll one after the other, where a policy says how many may at a time. */
import type {
  DisruptionGrant,
  DisruptionPolicy,
  DisruptionTurn,
} from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { defined } from '../../workflows/values/defined.ts';
import { compareText } from '../../workflows/plan/machine-set/scale-down.ts';
import type { GateDependencies } from './dependencies.ts';
import type { NamespaceObjects } from './going.ts';
import type { RollingDeployment } from './rolling.ts';
import { isComplete, isReady, rollingAmong } from './rolling.ts';
import { selects } from './selecting.ts';
import { decisionOn } from './writing.ts';

export type Turn =
  | { state: 'held' | 'free' }
  /** `why`: in words. `isTaken`: by others, whose end is news; `isBlocked`: all of them are. */
  | { state: 'waits'; why: string; isTaken: boolean; isBlocked?: boolean };

export interface TurnRequest {
  deployment: MachineDeployment;
  objects: NamespaceObjects;
  /** Another policy keeps the deployment from rolling now. */
  isClosed(deployment: MachineDeployment): boolean;
  now: number;
}

/** Undefined where the policy has no such limit. */
export function turnOf(policy: DisruptionPolicy, request: TurnRequest): Turn | undefined {
  const { deployments: limit } = policy.spec.atATime ?? {};
  const { deployment, objects } = request;
  if (limit === undefined) return undefined;
  const { uid } = deployment.metadata;
  const holders = liveTurns(policy, objects);
  if (holders.some((turn) => turn.uid === uid)) return { state: 'held' };
  const free = limit - holders.length;
  const names = holders.map((turn) => turn.deployment);
  const most = `at most ${limit} ${limit === 1 ? 'deployment rolls' : 'deployments roll'} at a time`;
  if (free <= 0) {
    const why = `${most}: ${names.join(', ')} first`;
    const isBlocked = holders.every((turn) => isStuck(turn, objects));
    return { state: 'waits', why, isTaken: true, isBlocked };
  }
  const first = waitingFor(policy, request).slice(0, free);
  if (first.length < free || first.some(({ metadata }) => metadata.uid === uid))
    return { state: 'free' };
  const next = first.map(({ metadata }) => metadata.name);
  const why = `${most}: ${[...names, ...next].join(', ')} first`;
  return { state: 'waits', why, isTaken: false };
}

/** As the status of the deployment says it. */
function isStuck({ uid }: DisruptionTurn, { deployments }: NamespaceObjects): boolean {
  const found = deployments.find(({ metadata }) => metadata.uid === uid);
  const conditions = found?.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Progressing' && status === 'False');
}

/** A turn ends with its deployment, and where the policy selects it no more. */
export function liveTurns(policy: DisruptionPolicy, objects: NamespaceObjects): DisruptionTurn[] {
  return (policy.status?.turns ?? []).filter(({ uid }) =>
    objects.deployments.some((one) => one.metadata.uid === uid && selects(policy, one)),
  );
}

/**
 * Those that could go on at once if they had a turn: first those that are in the middle, which a
 * policy found so, then by name.
 */
function waitingFor(
  policy: DisruptionPolicy,
  { objects, isClosed, now }: TurnRequest,
): MachineDeployment[] {
  const holders = new Set(liveTurns(policy, objects).map(({ uid }) => uid));
  const selected = objects.deployments
    .filter((one) => selects(policy, one) && !holders.has(one.metadata.uid))
    .filter((one) => isReady(one, now) && !isClosed(one));
  return rollingAmong(objects, selected)
    .toSorted(inTurn)
    .map(({ deployment }) => deployment);
}

function inTurn(a: RollingDeployment, b: RollingDeployment): number {
  const { name: first } = a.deployment.metadata;
  const { name: second } = b.deployment.metadata;
  return Number(b.hasBegun) - Number(a.hasBegun) || compareText(first, second);
}

const isSize = ({ machine }: DisruptionGrant): boolean => machine === undefined;

/** Gives back what a deployment has of its policies when its rollout is over. */
export async function giveBack(
  dependencies: GateDependencies,
  deployment: MachineDeployment,
): Promise<void> {
  const { uid } = deployment.metadata;
  const { policies = [] } = dependencies.policies.current();
  const held = policies.filter(({ status: { turns = [], grants = [] } = {} }) =>
    [...turns, ...grants.filter(isSize)].some((one) => one.uid === uid),
  );
  for (const policy of held) {
    await decisionOn(dependencies, policy, {
      decide(present, objects) {
        if (!isComplete(objects, deployment)) return { answer: undefined };
        const turns = liveTurns(present, objects).filter((turn) => turn.uid !== uid);
        const grants = present.status?.grants?.filter((one) => one.uid !== uid || !isSize(one));
        return { change: defined({ turns, grants }), answer: undefined };
      },
      busy: undefined,
    });
  }
}
