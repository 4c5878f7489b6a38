import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import { podKey } from '../../workflows/plan/drain/removals.ts';
import type { Blocker } from '../../workflows/plan/drain/report.ts';
import { formatPodsLeft } from '../../workflows/plan/drain/report.ts';
import { failureOf } from '../runtime/failures.ts';
import type { KubeError } from '../../kube/client/errors.ts';
import { isUnreachable } from '../../kube/client/errors.ts';
import { timestamp } from '../../kube/objects/time.ts';

const namedMax = 5;

interface Words {
  podCount: number;
  /** Some of the pods without a blocker. */
  pods: DrainPod[];
  blockers: Blocker[];
  late: readonly DrainPod[];
  deadline: number;
}

/** For the pending activity: what is left, since when, why, what comes next. */
export function formatDrain({ podCount, pods, blockers, late, deadline }: Words): string {
  const count = formatPodsLeft(podCount);
  const isBlocked = blockers.length > 0;
  const items = isBlocked ? blockers.map(formatBlocker) : pods.map(podKey);
  const named = formatFirst(items, isBlocked ? '; ' : ', ');
  const others = late.length > 0 ? `; ${formatLate(late)}` : '';
  return `${count}: ${named}${others}; by force after ${timestamp(deadline)}`;
}

/** Pods that are not asked to leave, as they would only come back. */
export function formatLate(late: readonly DrainPod[]): string {
  const names = formatFirst(late.map(podKey).toSorted(), ', ');
  return `${names} came onto the closed Node, which ${late.length === 1 ? 'it tolerates' : 'they tolerate'}`;
}

function formatFirst(items: readonly string[], separator: string): string {
  const more = items.length > namedMax ? ` and ${items.length - namedMax} more` : '';
  return `${items.slice(0, namedMax).join(separator)}${more}`;
}

/** For a pass that could not do what it has to: what is wrong, since when, until when. */
export function formatFailure(
  error: unknown,
  { since, deadline }: { since: number; deadline: number },
): string {
  const { message } = failureOf(error);
  const what = isUnreachable(error) ? `${clusterOf(error)} is out of reach: ${message}` : message;
  return `${what}; since ${timestamp(since)}, by force after ${timestamp(deadline)}`;
}

function clusterOf({ path }: KubeError): string {
  return path.startsWith('/apis/machine.sapcloud.io/')
    ? 'the control cluster'
    : 'the target cluster';
}

function formatBlocker({ pod, since, why, nextTryAt }: Blocker): string {
  const next = nextTryAt === undefined ? '' : `, next try ${timestamp(nextTryAt)}`;
  return `${pod} since ${timestamp(since)}: ${why}${next}`;
}
