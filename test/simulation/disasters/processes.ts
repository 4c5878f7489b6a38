/** Processes of Millwright that end, and clocks that are wrong. */
import type { Chance } from '../engine/chance.ts';
import type { Replica, World } from '../world/world.ts';
import { lasting, note } from './lasting.ts';

const minuteMs = 60_000;
const largestSkewMs = 30_000;

export function replicasOf({ installs }: World): Replica[] {
  return installs.flatMap((install) => install.replicas);
}

export function kill(world: World, chance: Chance): void {
  chance.pick(replicasOf(world)).kill();
}

export function restart(world: World, chance: Chance): void {
  chance.pick(replicasOf(world)).restart();
}

export function killAll(world: World): void {
  note(world, 'all processes are killed');
  for (const replica of replicasOf(world)) replica.kill();
}

/** One replica of an install after the other ends as asked, and starts with what is new. */
export function changeVersion(world: World, chance: Chance): void {
  const { name, replicas } = chance.pick(world.installs);
  note(world, `another version of ${name} is rolled out`);
  let afterMs = 0;
  for (const replica of replicas) {
    afterMs += chance.between(2_000, 40_000);
    world.simulation.after(afterMs, () => replica.restart());
  }
}

/** The clock of a machine jumps, mostly until something sets it right again. */
export function jumpClock(world: World, chance: Chance): void {
  const replica = chance.pick(replicasOf(world));
  const skewMs = Math.round(chance.between(-largestSkewMs, largestSkewMs));
  const rightMs = Math.round(chance.between(-500, 500));
  const lastsMs = chance.between(minuteMs, 30 * minuteMs);
  const { process } = replica;
  process?.jump(skewMs);
  lasting(world, lastsMs, () => {
    // A process that was started in the meantime has another clock.
    if (replica.process === process) process?.jump(rightMs);
  });
}

/** Of runs that are open. */
const brokenShare = 0.15;

/**
 * A worker cannot replay some runs (docs/decisions/0006-broken-histories.md): each fails with its
 * next task, and with it what that task had to say. The server begins it anew.
 */
export function breakHistories(world: World, chance: Chance): void {
  const open = Array.from(world.temporal.engine.executions()).filter(({ isOpen }) => isOpen);
  const broken = open.filter(() => chance.happens(brokenShare));
  note(world, `${broken.length} of ${open.length} runs cannot be replayed`);
  for (const execution of broken) execution.cannotBeReplayed = true;
}
