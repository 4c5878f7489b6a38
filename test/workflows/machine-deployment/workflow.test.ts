/**
 * Runs end here, after which the test server skips no time: what needs that is in
 * waits.test.ts.
 */
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { aSet, theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from './rollout-world.ts';

const temporal = TemporalForTests.ofFile();

describe('the life of a deployment', () => {
  test('its set is made, scaled, replaced by the next, and deleted', async () => {
    const rollout = new RolloutWorld(temporal);
    const { world, facts } = rollout;
    await rollout.run(async () => {
      await world.observe();
      await rollout.isComplete();
      expect(rollout.actions()).toEqual(['createSet']);
      facts.replicas = 5;
      await world.observe({ generation: 2 });
      await rollout.isComplete();
      expect(facts.sets).toMatchObject([{ name: 'pool-1', replicas: 5 }]);
      const run = await rollout.runId();
      rollout.changeTemplate();
      await world.observe({ generation: 3 });
      await rollout.isOver(run);
      expect(facts.sets.map(({ name, replicas }) => [name, replicas])).toEqual([
        ['pool-1', 0],
        ['pool-2', 5],
      ]);
      facts.isDeleting = true;
      await world.observe({ generation: 4, isDeleting: true });
      expect(await resultOf(world.handle)).toEqual({ reason: 'the MachineDeployment is gone' });
      expect(rollout.actions().slice(-2)).toEqual(['deleteSets', 'release']);
    });
  });

  test('one whose deletion was undone, by an etcd that was restored, lives on', async () => {
    const rollout = new RolloutWorld(temporal, (own) => ({
      applyDeploymentSteps: async (input) => {
        if (input.steps.every(({ action }) => action !== 'release'))
          return (await own.applyDeploymentSteps?.(input)) ?? { written: [] };
        rollout.facts.isDeleting = false;
        return { written: [], isUndone: true };
      },
    }));
    rollout.facts.isDeleting = true;
    await rollout.run(async () => {
      await rollout.world.observe({ isDeleting: true });
      await rollout.isComplete();
      expect(rollout.actions()).toEqual(['release', 'createSet']);
    });
  });

  test('what is scaled notes for how many replicas it is', async () => {
    const rollout = new RolloutWorld(temporal);
    rollout.facts.sets = [aSet({ name: 'pool-1', isOfTemplate: true, machines: 'AAA' })];
    rollout.facts.replicas = 7;
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.log.until('applyDeploymentSteps');
      expect(rollout.log.inputsOf('applyDeploymentSteps')[0]).toMatchObject({
        deployment: { ...rollout.world.ref, uid: 'uid-1' },
        scaling: { desired: 7, max: 8 },
      });
      const object = await rollout.world.handle.query('object');
      expect(object).toEqual({ uid: 'uid-1', isGone: false });
    });
  });

  test('it ends when the object is gone, whoever says so', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.isComplete();
      rollout.uid = undefined;
      await rollout.world.changeSets();
      expect(await resultOf(rollout.world.handle)).toEqual({
        reason: 'the MachineDeployment is gone',
      });
    });
  });

  test('another object of the same name has a life of its own', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.isComplete();
      rollout.uid = 'uid-2';
      rollout.facts.sets = [];
      await rollout.world.observe({ uid: 'uid-2' });
      await rollout.log.until('applyDeploymentSteps', 2);
      const uids = rollout.log
        .inputsOf('applyDeploymentSteps')
        .map(({ deployment }) => deployment.uid);
      expect(uids).toEqual(['uid-1', 'uid-2']);
    });
  });

  test('signals of another cluster are left out', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.isComplete();
      const looks = rollout.log.count('observeMachineDeployment');
      rollout.facts.replicas = 9;
      await rollout.world.observe({ cluster: 'another', generation: 2 });
      await rollout.world.changeSets({ cluster: 'another' });
      await rollout.planned();
      expect(rollout.log.count('observeMachineDeployment')).toBe(looks);
    });
  });
});

/** In the middle: two of three new machines do not come up. */
async function midway(rollout: RolloutWorld): Promise<void> {
  await rollout.world.observe();
  await rollout.isComplete();
  rollout.stuck.add('pool-2');
  rollout.changeTemplate();
  await rollout.world.observe({ generation: 2 });
  await rollout.until('the new set', ({ sets }) => sets.length === 2);
}

describe('what is seen of a rollout', () => {
  test('the query tells the sets, what is awaited and since when', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await midway(rollout);
      const view = await rollout.planned();
      expect(view).toMatchObject({
        state: 'Progressing',
        reason: expect.stringContaining('pool-2'),
        next: expect.stringContaining('pool-1'),
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
      expect(view?.sets).toEqual([
        {
          name: 'pool-1',
          revision: 1,
          isOfTemplate: false,
          replicas: 3,
          present: 3,
          available: 3,
          goingAway: 0,
        },
        {
          name: 'pool-2',
          revision: 2,
          isOfTemplate: true,
          replicas: 1,
          present: 1,
          available: 0,
          goingAway: 0,
        },
      ]);
      expect(view).not.toHaveProperty('lastError');
    });
  });

  test('search attributes follow the state: who has to act, and since when it waits', async () => {
    const rollout = new RolloutWorld(temporal);
    const shown = async () => {
      const { typedSearchAttributes: found } = await rollout.world.handle.describe();
      const [state, blockedBy, attention] = [keys.State, keys.BlockedBy, keys.Attention].map(
        (key) => found.get(key),
      );
      return { state, blockedBy, attention, isWaiting: found.get(keys.WaitingSince) !== undefined };
    };
    await rollout.run(async () => {
      await midway(rollout);
      const moving = { blockedBy: undefined, attention: 'none', isWaiting: false };
      expect(await shown()).toEqual({ state: 'Progressing', ...moving });
      const fresh = rollout.facts.sets.at(-1);
      if (fresh) fresh.problem = 'ReplicaFailure: exceeded quota';
      await rollout.until('the rollout is blocked', ({ state }) => state === 'Blocked');
      const blocked = { blockedBy: 'MachineSet/pool-2', attention: 'person', isWaiting: true };
      expect(await shown()).toEqual({ state: 'Blocked', ...blocked });
      expect(await rollout.planned()).toMatchObject({
        blockedBy: 'MachineSet/pool-2',
        reason: expect.stringContaining('exceeded quota'),
      });
      delete fresh?.problem;
      rollout.stuck.clear();
      await rollout.isComplete();
      expect(await shown()).toEqual({ state: 'Complete', ...moving });
    });
  });

  test('an Event is written when what it says changes, not at every look', async () => {
    const rollout = new RolloutWorld(temporal);
    rollout.facts.faults = ['spec.strategy: Required value'];
    const reports = (): string[] =>
      rollout.log.inputsOf('reportDeployment').map(({ report }) => report.message);
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.log.until('reportDeployment');
      await rollout.world.changeSets();
      await rollout.log.until('observeMachineDeployment', 2);
      rollout.facts.faults = ['spec.selector: Required value'];
      await rollout.world.observe({ generation: 2 });
      await rollout.log.until('reportDeployment', 2);
      rollout.facts.faults = [];
      await rollout.isComplete();
      rollout.facts.faults = ['spec.selector: Required value'];
      await rollout.world.observe({ generation: 3 });
      await rollout.log.until('reportDeployment', 3);
      expect(reports()).toEqual([
        'spec.strategy: Required value',
        'spec.selector: Required value',
        'spec.selector: Required value',
      ]);
    });
  });
});

describe('one run for each rollout', () => {
  test('the end of a rollout is the end of a run; what was known goes on, and queries are answered', async () => {
    const rollout = new RolloutWorld(temporal, () => ({
      updateRolloutNodes: async ({ step }) => {
        if (step.action === 'releaseNodes') throw new Error('the target cluster is out of reach');
        if (step.action === 'taintNodes') {
          for (const set of rollout.facts.sets) if (set.name === step.set) set.isTainted = true;
        }
        return { protectedNodes: ['node-1'] };
      },
    }));
    const { world, facts } = rollout;
    facts.hasNodes = true;
    facts.protectsNodes = true;
    await rollout.run(async () => {
      await world.observe();
      await rollout.isComplete();
      const first = await rollout.runId();
      rollout.changeTemplate();
      await world.observe({ generation: 2 });
      await rollout.isOver(first);
      await rollout.isComplete();
      const looks = rollout.log.inputsOf('observeMachineDeployment');
      expect(looks.at(-1)).toMatchObject({ protectedNodes: ['node-1'] });
      expect(looks.at(-1)).not.toHaveProperty('error');
      expect((await rollout.planned()).lastError).toContain('out of reach');
      const second = await rollout.runId();
      await world.changeSets();
      await rollout.planned();
      expect(await rollout.runId()).toBe(second);
    });
  });

  test('a set that is being deleted and held by a finalizer is the end of no run', async () => {
    const held = aSet({ name: 'pool-0', machines: '', replicas: 1, isDeleting: true });
    const rollout = new RolloutWorld(temporal, (own) => ({
      observeMachineDeployment: async (input) => {
        const outcome = await own.observeMachineDeployment?.(input);
        if (!outcome?.found) return { found: false };
        const sets = [held, ...outcome.facts.sets];
        return { ...outcome, facts: { ...outcome.facts, sets } };
      },
    }));
    rollout.facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA' })];
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.isComplete();
      const first = await rollout.runId();
      await rollout.world.changeSets();
      await rollout.planned();
      expect(await rollout.runId()).toBe(first);
    });
  });
});
