/** Nodes that take no pods, and budgets that let none go. */
import { node as nodePath } from '../../../../kube/client/paths.ts';
import { letGo } from '../actions/finalizers.ts';
import { deadlock, taintsOf, untaint, userTaintKey } from '../actions/nodes.ts';
import { blockingLabel, budgets, budgetsOf } from '../actions/pods.ts';
import { isSelected } from '../in-place.ts';
import { isDeleting, isTrue, nodeOf, pickedOf } from '../user.ts';
import type { Picked } from '../user.ts';
import { isHeld, isPreserved, notPreserved } from './machines.ts';
import type { Obstacle, Place } from './obstacle.ts';

export function nodeObstacles(place: Place): Obstacle[] {
  const { all, target } = place;
  // Those we cordon ourselves, before their pods are evicted.
  const drained = new Set(
    all('machines').flatMap(({ object }) => (isDeleting(object) ? (nodeOf(object) ?? []) : [])),
  );
  return target
    .list(nodePath())
    .map((object) => pickedOf(nodePath(), object))
    .flatMap((picked) => obstaclesOf(place, picked, drained.has(picked.name)));
}

function obstaclesOf({ target }: Place, picked: Picked, isDrained: boolean): Obstacle[] {
  const { path, name, object } = picked;
  const found: [boolean, string, () => void][] = [
    [
      object.spec?.['unschedulable'] === true && !isDrained && !isSelected(object),
      'is cordoned',
      () => target.patch(path, { spec: { unschedulable: null } }),
    ],
    [
      taintsOf(picked).some(({ key }) => key === userTaintKey),
      'keeps pods out',
      () => untaint({ target }, picked),
    ],
    [isTrue(object, deadlock), 'has a deadlock', () => endDeadlock(target, path)],
    [isPreserved(object), 'is preserved', () => target.patch(path, notPreserved)],
    [isHeld(object), 'has a finalizer of another program', () => letGo(target, { path })],
  ];
  return found
    .filter(([isFound]) => isFound)
    .map(([, what, remove]) => ({ what: `Node ${name} ${what}`, remove }));
}

/** Of a few Nodes each Machine is replaced; of most it is taken for an outage. */
function endDeadlock(target: Place['target'], path: string): void {
  const conditions = [{ type: deadlock, status: 'False' }];
  target.patch(`${path}/status`, { status: { conditions } }, 'strategic');
}

export function budgetObstacles({ target }: Place): Obstacle[] {
  return [budgets, budgetsOf('apps')].flatMap((path) =>
    target.list(path, { labelSelector: blockingLabel }).map(({ metadata: { name } }) => ({
      what: `PodDisruptionBudget ${name} allows no eviction`,
      remove: () => target.delete(`${path}/${name}`),
    })),
  );
}
