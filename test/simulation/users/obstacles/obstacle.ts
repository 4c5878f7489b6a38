/** What stands in the way of what users asked for, because a user put it there. */
import type { Install } from '../../world/world.ts';
import type { Kubectl } from '../kubectl.ts';
import type { Repository } from '../set-up.ts';
import type { User } from '../user.ts';

export interface Obstacle {
  /** For a timeline, e.g. `MachineDeployment pool-1 is paused`. */
  what: string;
  remove(): void;
}

/** Of one install. */
export interface Place {
  install: Install;
  repository: Repository;
  namespace: string;
  control: Kubectl;
  target: Kubectl;
  now: number;
  all: User['all'];
}

/** Finds those of a kind by the objects that there are: a restored database may bring them back. */
export type Search = (place: Place) => Obstacle[];
