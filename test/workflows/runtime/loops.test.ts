/**
 * A plan that asks for the same again and again, as after a mistake of ours: the loops of sets and
 * deployments take pauses.
 */
import type { StepName } from '../../support/call-log.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from '../machine-deployment/rollout-world.ts';
import { Machines, SetWorld } from '../machine-set/set-world.ts';

const temporal = TemporalForTests.ofFile();

async function timersOf({ handle }: SetWorld): Promise<number> {
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.timerStartedEventAttributes).length;
}

interface Turns {
  beforePause: number;
  /** From the first pause on. */
  later: number;
  /** Since then, by the server's clock. */
  seconds: number;
}

/** How often the step was done, although nothing fails. */
async function turnsOf(world: SetWorld, step: StepName): Promise<Turns> {
  const { log } = world;
  await eventually('a pause', async () => (await timersOf(world)) > 0);
  const beforePause = log.count(step);
  const begin = await temporal.now();
  for (let pause = 1; pause <= 3; pause += 1) {
    await temporal.skip(5);
    await log.until(step, beforePause + pause);
  }
  const seconds = ((await temporal.now()) - begin) / 1_000;
  return { beforePause, later: log.count(step) - beforePause, seconds };
}

test('the loop of a set whose machines never equal their template takes pauses', async () => {
  const machines = new Machines(1);
  machines.names.add('a');
  machines.unlike.add('a');
  const world = new SetWorld(temporal, 'machineSet', {
    ...machines.steps(),
    // It takes the template, and yet the next survey finds it unlike.
    pushTemplate: async () => ({ generation: 1, names: [] }),
  });
  await world.run(async () => {
    await world.observe();
    const { beforePause, later, seconds } = await turnsOf(world, 'pushTemplate');
    expect(beforePause).toBeGreaterThan(100);
    // The first pauses last 2 s, later ones 5 s.
    expect(later).toBeLessThan(0.75 * seconds);
  });
});

test('the loop of a deployment whose list of marks is another one each time takes pauses', async () => {
  let list = 0;
  const rollout = new RolloutWorld(temporal, (own) => ({
    observeMachineDeployment: async (input) => {
      list += 1;
      const marks = { preferred: [], machines: [], was: `a~${list}`, list: null };
      Object.assign(rollout.facts, { marks });
      return (await own.observeMachineDeployment?.(input)) ?? { found: false };
    },
  }));
  rollout.facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA' })];
  await rollout.run(async () => {
    await rollout.world.observe();
    const { beforePause, later, seconds } = await turnsOf(rollout.world, 'applyDeploymentSteps');
    expect(beforePause).toBeGreaterThan(100);
    // The first pauses last 2 s, later ones 5 s.
    expect(later).toBeLessThan(0.75 * seconds);
  });
});
