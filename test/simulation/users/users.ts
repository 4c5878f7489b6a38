/** People and their tools: what they do at any moment, by seed, until the weather clears. */
import { baseOf, namedChance } from '../world/named-chance.ts';
import { usualMix, type Mix } from '../world/mix.ts';
import type { Install, World } from '../world/world.ts';
import { userActions, userNames } from './actions.ts';
import { hasPoolsInPlace } from './in-place.ts';
import { deploymentObstacles } from './obstacles/deployments.ts';
import { lostMachines } from './obstacles/lost-machines.ts';
import { failedMachines } from './obstacles/machines.ts';
import { obstaclesIn } from './obstacles/obstacles.ts';
import type { Obstacle } from './obstacles/obstacle.ts';
import type { Repository } from './set-up.ts';
import { User } from './user.ts';
import type { Workloads } from './workloads.ts';

export { userNames };

export interface UsersOptions {
  /** Of actions; default all. */
  names?: readonly string[];
  /** How much more often than usual each is done; default as usual. */
  mix?: Mix;
  /** What `setUpObjects` returned. */
  repositories: ReadonlyMap<Install, Repository>;
  /** Without them users have no pods. */
  workloads?: Workloads | undefined;
  /** Of all installs at the beginning; default few. */
  machines?: number;
}

/** In all installs together something goes on all the time, and the more the larger they are. */
const actionsAnHourOfMachine = 5;
/** Of an install. */
const leastActionsAnHour = 60;
/** Removing one obstacle may show another one, e.g. a class whose Secret is missing. */
const roundsMax = 5;

export class Users {
  readonly #world: World;
  readonly #options: UsersOptions;
  readonly #base: number;

  constructor(world: World, options: UsersOptions) {
    const unknown = options.names?.find((name) => !userNames.includes(name));
    if (unknown !== undefined) {
      throw new RangeError(`action "${unknown}": must be one of ${userNames.join(', ')}`);
    }
    this.#world = world;
    this.#options = options;
    this.#base = baseOf(world.simulation.chance);
  }

  /** Each kind of action comes at moments of its own, whatever the others do. */
  start(): void {
    const { names = userNames, mix = usualMix } = this.#options;
    const isInPlace = hasPoolsInPlace(this.#world.simulation.seed);
    const weightOf = (name: string): number => {
      const { weight = 0, isOfInPlace = false } = userActions[name] ?? {};
      return isOfInPlace && !isInPlace ? 0 : weight * mix(name);
    };
    const weights = userNames.reduce((sum, name) => sum + weightOf(name), 0);
    for (const name of userNames) {
      if (!names.includes(name)) continue;
      const users = this.usersFor(name);
      const timesAnHour = (this.#actionsAnHour * weightOf(name)) / weights;
      const [first] = users;
      if (!first) continue;
      const { chance } = first;
      const act = (): void => this.#act(name, chance.pick(users));
      this.#world.weather.often(timesAnHour, act, chance);
    }
  }

  get #actionsAnHour(): number {
    const { machines = 0, repositories } = this.#options;
    return Math.max(leastActionsAnHour * repositories.size, actionsAnHourOfMachine * machines);
  }

  /** One for each install; they share their randomness. */
  usersFor(action: string): User[] {
    const { repositories, workloads } = this.#options;
    const chance = namedChance(this.#base, action);
    return Array.from(
      repositories,
      ([install, repository]) =>
        new User({ world: this.#world, install, repository, workloads, chance, action }),
    );
  }

  /** A defect of an action ends the simulation. */
  #act(name: string, user: User): void {
    void (async () => {
      try {
        await userActions[name]?.act(user);
      } catch (error) {
        this.#world.simulation.after(0, () => {
          throw error;
        });
      }
    })();
  }

  /** What users put in the way of what they want, as it is now. */
  get obstacles(): Obstacle[] {
    return obstaclesIn(this.#world, this.#options.repositories);
  }

  /**
   * Lost machines, when most are Unknown, those without an owner that failed only after the users
   * had tidied up, and what a command did that was carried out only then, as a pause. To be called
   * some time after that, until the end.
   */
  tidyUpLate(): void {
    const { repositories } = this.#options;
    const late = [lostMachines, failedMachines, deploymentObstacles];
    const found = obstaclesIn(this.#world, repositories, late);
    for (const { remove } of found) remove();
  }

  /**
   * Takes the obstacles away, at once. To be called when the weather is clear and all servers
   * answer; may be called again, e.g. when a Machine without an owner failed later.
   */
  tidyUp(): void {
    for (let round = 0; round < roundsMax; round += 1) {
      const found = this.obstacles;
      if (found.length === 0) return;
      for (const { remove } of found) remove();
    }
  }
}
