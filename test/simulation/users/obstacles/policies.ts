/** DisruptionPolicies by which no rollout would end within the time that a world has. */
import { disruptionPolicy } from '../../../../kube/client/paths.ts';
import { isFaulty, openMs } from '../../judge/policies/calendar.ts';
import { limitOf, policyOf } from '../../judge/policies/policy-of.ts';
import type { Found } from '../kubectl.ts';
import { minuteMs, pickedOf, replicasOf } from '../user.ts';
import type { Obstacle, Place } from './obstacle.ts';

const hourMs = 60 * minuteMs;
/** In each of so many hours it is open for so long at least; then it comes again as often later. */
const [hours, openMinutes] = [5, 25];
/** Of all machines, at a time. */
const leastShare = 1 / 6;

export function policyObstacles({ control, namespace, now, all }: Place): Obstacle[] {
  const path = disruptionPolicy(namespace);
  const replicas = all('machinedeployments').reduce(
    (sum, { object }) => sum + replicasOf(object),
    0,
  );
  return control.list(path).flatMap((object) => {
    const { path: one, name } = pickedOf(path, object);
    const why = tooStrict(object, { replicas, now });
    if (why === undefined) return [];
    const what = `DisruptionPolicy ${name} ${why}`;
    return [{ what, remove: () => control.delete(one) }];
  });
}

function tooStrict(object: Found, { replicas, now }: { replicas: number; now: number }) {
  const policy = policyOf(object);
  const { spec } = policy;
  const limit = limitOf(policy, replicas) ?? Infinity;
  if (limit < Math.max(1, replicas * leastShare)) return 'lets too few machines go';
  if (isFaulty(spec)) return 'cannot be followed';
  const spans = Array.from({ length: hours }, (_, index) => ({
    from: now + index * hourMs,
    to: now + (index + 1) * hourMs,
  }));
  const isRare = spans.some((span) => openMs(spec, span) < openMinutes * minuteMs);
  return isRare ? 'is open too rarely' : undefined;
}
