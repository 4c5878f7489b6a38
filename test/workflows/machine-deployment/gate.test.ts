/** A MachineDeployment that waits for DisruptionPolicies. */
import { Worker } from '@temporalio/worker';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import type { RolloutGate } from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { bundleForTests } from '../../support/workflow-bundle.ts';
import { aSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from './rollout-world.ts';

const temporal = TemporalForTests.ofFile();
const hour = 3_600_000;

const closedUntil = (until: number): RolloutGate => ({
  closed: { policy: 'nights', kind: 'time', why: 'waits for its window', until },
});

/** Three old machines, and a template that has no set yet. */
function anOldPool(gate: RolloutGate, afterSteps: () => void = () => undefined): RolloutWorld {
  const rollout = new RolloutWorld(temporal, (own) => ({
    applyDeploymentSteps: async (input) => {
      const outcome = await own.applyDeploymentSteps?.(input);
      afterSteps();
      return outcome ?? { written: [] };
    },
  }));
  Object.assign(rollout.facts, { gate, sets: [aSet({ name: 'pool-0', machines: 'AAA' })] });
  return rollout;
}

const waits = (rollout: RolloutWorld): Promise<void> =>
  rollout.until('it waits', ({ blockedBy }) => blockedBy === 'DisruptionPolicy/nights');

/** As a worker does that gets the run anew. */
async function expectReplay({ world }: RolloutWorld): Promise<void> {
  const history = await world.handle.fetchHistory();
  const workflowBundle = await bundleForTests();
  await Worker.runReplayHistory({ workflowBundle }, history, world.workflowId);
}

test('a rollout begins when the window does, stands still when it closes, and goes on', async () => {
  const opens = (await temporal.now()) + hour;
  const rollout = anOldPool(closedUntil(opens), () => {
    if (!facts.gate?.until) return;
    facts.gate = closedUntil(opens + 2 * hour);
  });
  const { world, log, facts } = rollout;
  await rollout.run(async () => {
    await world.observe();
    await waits(rollout);
    const looks = log.count('observeMachineDeployment');
    await temporal.skip(3_000);
    expect(log.count('observeMachineDeployment')).toBeLessThanOrEqual(looks + 1);
    expect(rollout.actions()).toEqual([]);
    facts.gate = { until: opens + hour };
    await temporal.skip(700);
    await log.until('applyDeploymentSteps', 1);
    expect(log.inputsOf('applyDeploymentSteps')).toMatchObject([
      { steps: [{ action: 'createSet', name: 'pool-1', disrupts: true }] },
    ]);
    await waits(rollout);
    await world.changeSets();
    await temporal.skip(60);
    expect(facts.sets.map(({ replicas }) => replicas)).toEqual([3, 1]);
    await expectReplay(rollout);
    facts.gate = {};
    await temporal.skip(2 * 3_600);
    await rollout.isComplete();
    expect(facts.sets.map(({ replicas }) => replicas)).toEqual([0, 3]);
  });
});

test('it is found by the policy and the time, and asks a person only for what none else ends', async () => {
  const opens = (await temporal.now()) + hour;
  const rollout = anOldPool(closedUntil(opens));
  const { world, facts } = rollout;
  await rollout.run(async () => {
    await world.observe();
    await waits(rollout);
    const shown = async () => {
      const { typedSearchAttributes: found } = await world.handle.describe();
      const { State, BlockedBy, Attention, Deadline } = keys;
      const time = found.get(Deadline)?.getTime();
      return [found.get(State), found.get(BlockedBy), found.get(Attention), time];
    };
    const of = ['Paused', 'DisruptionPolicy/nights'];
    expect(await shown()).toEqual([...of, 'none', opens]);
    const fault = { policy: 'nights', kind: 'fault', why: 'no such time zone' } as const;
    facts.gate = { closed: fault };
    await rollout.until('it has heard', ({ reason }) => reason.includes('no such time zone'));
    await eventually('a person is asked', async () => {
      const [, , attention, deadline] = await shown();
      return attention === 'person' && deadline === undefined;
    });
  });
});

test('a rollout that waits for the machines of others asks again, less and less often', async () => {
  const machines = { policy: 'db', why: 'one at a time' };
  const rollout = anOldPool({ machines: { ...machines, count: 0 } });
  const { world, log, facts } = rollout;
  Object.assign(facts, { maxSurge: 0, maxUnavailable: 1 });
  await rollout.run(async () => {
    await world.observe();
    await rollout.until('it waits', ({ blockedBy }) => blockedBy === 'DisruptionPolicy/db');
    const looks = log.count('observeMachineDeployment');
    await temporal.skip(3_600);
    const more = log.count('observeMachineDeployment') - looks;
    expect(more).toBeGreaterThanOrEqual(12);
    expect(more).toBeLessThanOrEqual(16);
    facts.gate = { machines: { ...machines, count: 1 } };
    await temporal.skip(301);
    await rollout.isComplete();
  });
});

const isSaid =
  ({ log }: RolloutWorld, said: { finished?: string; lastFinished?: string }) =>
  (): boolean => {
    const { finished, lastFinished } = log.inputsOf('observeMachineDeployment').at(-1) ?? {};
    return finished === said.finished && lastFinished === said.lastFinished;
  };

test('it knows during a rollout which set was finished before', async () => {
  const rollout = anOldPool({});
  const { world, facts } = rollout;
  const [old] = facts.sets;
  Object.assign(old ?? {}, { isOfTemplate: true });
  facts.progress.reason = 'NewMachineSetAvailable';
  await rollout.run(async () => {
    await world.observe();
    await rollout.isComplete();
    facts.progress.reason = 'MachineSetUpdated';
    rollout.changeTemplate();
    rollout.stuck.add('pool-2');
    await world.observe({ generation: 2 });
    await rollout.until('it rolls', isSaid(rollout, { lastFinished: 'pool-0' }));
    facts.progress.reason = 'NewMachineSetAvailable';
    rollout.stuck.clear();
    await rollout.isComplete();
    expect(facts.sets.map(({ replicas }) => replicas)).toEqual([0, 3]);
    await rollout.until('it is read again', isSaid(rollout, { finished: 'pool-2' }));
  });
});
