import { stopPath } from '../actions/stop.ts';
import type { Obstacle, Place } from './obstacle.ts';

export function stopObstacles({ control, namespace }: Place): Obstacle[] {
  const path = stopPath(namespace);
  if (!control.has(path)) return [];
  return [{ what: `a stop of ${namespace}`, remove: () => control.delete(path) }];
}
