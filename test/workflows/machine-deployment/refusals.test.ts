/** Writes that the API server refuses a MachineDeployment for as long as a policy stands. */
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { mostAttempts } from '../most-attempts.ts';
import { RolloutWorld } from './rollout-world.ts';

const temporal = TemporalForTests.ofFile();

const message = 'Machine/a: kept for forensics';
const refused = { names: ['Machine/a'], reason: 'FailedUpdate' as const, message };

/** The autoscaler chose machine `a`, which no one may write while `isRefused`. */
function refusing() {
  const world = new RolloutWorld(temporal, (own) => ({
    applyDeploymentSteps: async (input) => {
      const outcome = (await own.applyDeploymentSteps?.(input)) ?? { written: [] };
      if (!input.steps.some(({ action }) => action === 'markMachines')) return outcome;
      if (rollout.isRefused) return { ...outcome, refused };
      delete world.facts.marks;
      return outcome;
    },
  }));
  world.facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA' })];
  world.facts.marks = { preferred: ['a'], machines: [], was: 'a', list: 'a' };
  const marks = (): number => world.actions().filter((action) => action === 'markMachines').length;
  const rollout = { world, marks, isRefused: true };
  return rollout;
}

test('a refused mark keeps no replicas waiting, is said, and is tried again ever later', async () => {
  const rollout = refusing();
  const { world, log, facts } = rollout.world;
  await rollout.world.run(async () => {
    const begin = await temporal.now();
    await world.observe();
    await log.until('observeMachineDeployment', 2);
    expect(log.inputsOf('observeMachineDeployment').at(-1)).toMatchObject({
      refusal: message,
      passOver: ['Machine/a'],
    });
    expect(await rollout.world.planned()).toMatchObject({ lastError: message });
    facts.replicas = 5;
    await rollout.world.until('the set grows', () => facts.sets[0]?.replicas === 5);
    await temporal.skip(3);
    await eventually('the next attempt', async () => rollout.marks() >= 2);
    const seconds = ((await temporal.now()) - begin) / 1_000;
    expect(rollout.marks()).toBeLessThanOrEqual(mostAttempts(seconds));
    rollout.isRefused = false;
    await temporal.skip(5);
    await eventually('the condition is to be taken away', async () => {
      const look = log.inputsOf('observeMachineDeployment').at(-1);
      return look !== undefined && look.refusal === undefined;
    });
    expect(await rollout.world.planned()).not.toHaveProperty('lastError');
  });
});

test('a refused mark is tried at once when the spec changes', async () => {
  const rollout = refusing();
  const { world, log } = rollout.world;
  await rollout.world.run(async () => {
    await world.observe();
    await log.until('observeMachineDeployment', 2);
    const tried = rollout.marks();
    rollout.isRefused = false;
    await world.observe({ generation: 2 });
    await eventually('the next attempt', async () => rollout.marks() > tried);
    await eventually('the refusal is forgotten', async () => {
      return (await rollout.world.planned()).lastError === undefined;
    });
    expect(rollout.marks()).toBeGreaterThan(tried);
  });
});

test('an adoption that is refused is tried again later, and no set is made meanwhile', async () => {
  const refusal = { names: ['MachineSet/orphan'], reason: 'FailedUpdate' as const, message: 'no' };
  let isRefused = true;
  const rollout = new RolloutWorld(temporal, (own) => ({
    observeMachineDeployment: async (input) => {
      const outcome = (await own.observeMachineDeployment?.(input)) ?? { found: false };
      const isTried = isRefused && !input.passOver && outcome.found;
      return isTried ? { ...outcome, refused: refusal } : outcome;
    },
  }));
  const { world, log } = rollout;
  await rollout.run(async () => {
    await world.observe();
    await log.until('observeMachineDeployment', 2);
    await temporal.skip(3);
    await log.until('observeMachineDeployment', 3);
    expect(rollout.actions()).toEqual([]);
    isRefused = false;
    await temporal.skip(5);
    await rollout.isComplete();
    expect(rollout.actions()).toContain('createSet');
  });
});
