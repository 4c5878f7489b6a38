/** All obstacles of a world. */
import { Chance } from '../../engine/chance.ts';
import type { Install, World } from '../../world/world.ts';
import type { Repository } from '../set-up.ts';
import { User } from '../user.ts';
import { brokenClasses, missingObjects } from './classes.ts';
import { deploymentObstacles } from './deployments.ts';
import {
  givenUpMachines,
  failedMachines,
  heldMachines,
  heldOwners,
  hookedMachines,
  preservedMachines,
} from './machines.ts';
import { budgetObstacles, nodeObstacles } from './nodes.ts';
import type { Obstacle, Place, Search } from './obstacle.ts';
import { policyObstacles } from './policies.ts';
import { frozenSets } from './sets.ts';
import { stopObstacles } from './stop.ts';

/** Secrets and classes first: others need them. */
const searches: readonly Search[] = [
  stopObstacles,
  missingObjects,
  brokenClasses,
  deploymentObstacles,
  policyObstacles,
  frozenSets,
  heldOwners,
  heldMachines,
  hookedMachines,
  preservedMachines,
  givenUpMachines,
  failedMachines,
  nodeObstacles,
  budgetObstacles,
];

/** `searched`: default all that users put in the way. */
export function obstaclesIn(
  world: World,
  repositories: ReadonlyMap<Install, Repository>,
  searched = searches,
): Obstacle[] {
  return Array.from(repositories).flatMap(([install, repository]) => {
    const place = placeOf(world, install, repository);
    return searched.flatMap((search) => search(place));
  });
}

/** Nothing is left to chance here. */
function placeOf(world: World, install: Install, repository: Repository): Place {
  const chance = new Chance(0);
  const user = new User({
    world,
    install,
    repository,
    workloads: undefined,
    chance,
    action: 'tidyUp',
  });
  const { namespace, control, target, now } = user;
  return { install, repository, namespace, control, target, now, all: (kind) => user.all(kind) };
}
