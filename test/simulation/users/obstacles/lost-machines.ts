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
/** Of those that are updated in place the health is not evaluated. */
const phases: readonly string[] = ['Running', 'Unknown', 'InPlaceUpdating', 'InPlaceUpdateFailed'];

export function lostMachines({ all, control, target }: Place): Obstacle[] {
  const joined = all('machines').filter(
    ({ object }) => !isDeleting(object) && phases.includes(phaseOf(object)),
  );
  const silent = joined.filter(({ object }) => phaseOf(object) !== 'Running');
  if (silent.length < fewest || silent.length * 2 <= joined.length) return [];
  const ready = new Set(target.list(nodePath()).filter(isReady).map(nameOf));
  return silent
    .filter(({ object }) => !ready.has(nodeOf(object) ?? ''))
    .map(({ path, name }) => ({
      what: `Machine ${name} is lost, and so are most`,
      remove: () => control.delete(path),
    }));
}

const nameOf = ({ metadata: { name } }: Found): string => name;

const isReady = (node: Found): boolean => isTrue(node, 'Ready');
