import { podKey, type DrainPod } from '../../workflows/plan/drain/removals.ts';
import { formatPodsLeft, type Blocker } from '../../workflows/plan/drain/report.ts';
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

function formatBlocker({ pod, since, why, nextTryAt }: Blocker): string {
  const next = nextTryAt === undefined ? '' : `, next try ${timestamp(nextTryAt)}`;
  return `${pod} since ${timestamp(since)}: ${why}${next}`;
}
