/**
 * Most machines of a namespace are Unknown at once. None is replaced then, as that looks like an
 * outage: a person has to delete those that are really lost (docs/compatibility.md). An etcd of
 * before may bring back that many machines without instances.
 */
import { node as nodePath } from '../../../../kube/client/paths.ts';
import type { Found } from '../kubectl.ts';
import { isDeleting, isTrue, nodeOf, phaseOf } from '../user.ts';
import type { Obstacle, Place } from './obstacle.ts';

const fewest = 3;

export function lostMachines({ all, control, target }: Place): Obstacle[] {
  const joined = all('machines').filter(
    ({ object }) => !isDeleting(object) && ['Running', 'Unknown'].includes(phaseOf(object)),
  );
  const unknown = joined.filter(({ object }) => phaseOf(object) === 'Unknown');
  if (unknown.length < fewest || unknown.length * 2 <= joined.length) return [];
  const ready = new Set(target.list(nodePath()).filter(isReady).map(nameOf));
  return unknown
    .filter(({ object }) => !ready.has(nodeOf(object) ?? ''))
    .map(({ path, name }) => ({
      what: `Machine ${name} is lost, and so are most`,
      remove: () => control.delete(path),
    }));
}

const nameOf = ({ metadata: { name } }: Found): string => name;

const isReady = (node: Found): boolean => isTrue(node, 'Ready');
