/** What time does to a MachineDeployment: deadlines, and what is tried again. */
import { machineDeploymentGone } from '../../../workflows/contracts/messages.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { cluster, hang } from '../machine/machine-world.ts';
import { mostAttempts } from '../most-attempts.ts';
import type { Steps } from '../../support/call-log.ts';
import { aSet, theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from './rollout-world.ts';

const temporal = TemporalForTests.ofFile();

describe('time', () => {
  test('at rest a look costs nothing but itself', async () => {
    const rollout = new RolloutWorld(temporal);
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.isComplete();
      const looks = rollout.log.count('observeMachineDeployment');
      const applied = rollout.log.count('applyDeploymentSteps');
      await temporal.skip(3600);
      expect(rollout.log.count('observeMachineDeployment')).toBe(looks);
      expect(rollout.log.count('applyDeploymentSteps')).toBe(applied);
    });
  });

  test('a deadline wakes the workflow of a deployment', async () => {
    const rollout = new RolloutWorld(temporal);
    rollout.facts.progress.deadline = (await temporal.now()) + 600_000;
    rollout.stuck.add('pool-1');
    await rollout.run(async () => {
      await rollout.world.observe();
      await rollout.log.until('observeMachineDeployment', 2);
      await temporal.skip(500);
      expect(rollout.log.count('observeMachineDeployment')).toBe(2);
      rollout.facts.progress = { ...rollout.facts.progress, isOverdue: true };
      delete rollout.facts.progress.deadline;
      await temporal.skip(101);
      await rollout.log.until('reportDeployment');
      expect(rollout.log.inputsOf('reportDeployment')).toMatchObject([
        { report: { type: 'Warning', reason: 'ProgressDeadlineExceeded' } },
      ]);
    });
  });
});

test('signals about sets come in bursts during a rollout: a read waits for the rest of them', async () => {
  const rollout = new RolloutWorld(temporal);
  const { world, log } = rollout;
  rollout.facts.sets = [
    aSet({ name: 'pool-0', machines: 'AAA' }),
    aSet({ name: 'pool-1', revision: 2, isOfTemplate: true, machines: 'U' }),
  ];
  rollout.stuck.add('pool-1');
  await rollout.run(async () => {
    await world.observe();
    await rollout.until('it waits', ({ state }) => state === 'Progressing');
    await temporal.skip(1);
    const looks = log.count('observeMachineDeployment');
    await world.changeSets();
    await log.until('observeMachineDeployment', looks + 1);
    const { events } = await world.handle.fetchHistory();
    const waits = events?.map((event) => event.timerStartedEventAttributes?.startToFireTimeout);
    expect(waits).toContainEqual(expect.objectContaining({ nanos: 500_000_000 }));
  });
});

/** `since`: by the server's clock, milliseconds. */
async function expectBackoff(attempts: number, since: number): Promise<void> {
  const seconds = ((await temporal.now()) - since) / 1_000;
  expect(attempts).toBeLessThanOrEqual(mostAttempts(seconds));
}

/** Refuses while `isRefused`. */
function refusing() {
  const world = new RolloutWorld(temporal, (own) => ({
    applyDeploymentSteps: async (input) => {
      if (rollout.isRefused) return { written: [], error: 'exceeded quota' };
      return (await own.applyDeploymentSteps?.(input)) ?? { written: [] };
    },
  }));
  const rollout = { world, isRefused: true };
  return rollout;
}

describe('a step that the API server refuses', () => {
  const message = 'Failed to create new machine set "pool-1": exceeded quota';

  test('is said, with one Event, and tried again later', async () => {
    const rollout = refusing();
    const { world, log } = rollout.world;
    await rollout.world.run(async () => {
      const begin = await temporal.now();
      await world.observe();
      await log.until('observeMachineDeployment', 2);
      expect(log.inputsOf('observeMachineDeployment').at(-1)).toMatchObject({ error: message });
      expect(await rollout.world.planned()).toMatchObject({ lastError: message });
      await temporal.skip(3);
      await log.until('applyDeploymentSteps', 2);
      rollout.isRefused = false;
      await temporal.skip(5);
      await rollout.world.isComplete();
      const creates = rollout.world.actions().filter((action) => action === 'createSet');
      await expectBackoff(creates.length, begin);
      expect(log.inputsOf('reportDeployment')).toMatchObject([
        { report: { type: 'Warning', reason: 'MachineSetCreateError', message } },
      ]);
      expect(log.inputsOf('observeMachineDeployment').at(-1)).not.toHaveProperty('error');
      expect(await rollout.world.planned()).not.toHaveProperty('lastError');
    });
  });

  test('is tried at once when the spec changes', async () => {
    const rollout = refusing();
    const { world, log } = rollout.world;
    await rollout.world.run(async () => {
      await world.observe();
      await log.until('observeMachineDeployment', 2);
      rollout.isRefused = false;
      await world.observe({ generation: 2 });
      await log.until('applyDeploymentSteps', 2);
      await rollout.world.isComplete();
      expect(rollout.world.actions()).toEqual(['createSet', 'createSet']);
    });
  });

  test('is forgotten when it is not wanted any more, and wakes no workflow', async () => {
    const rollout = refusing();
    const { world, log } = rollout.world;
    await rollout.world.run(async () => {
      await world.observe();
      await log.until('observeMachineDeployment', 2);
      rollout.world.facts.sets = [aSet({ name: 'pool-0', isOfTemplate: true, machines: 'AAA' })];
      await rollout.world.isComplete();
      expect(log.inputsOf('observeMachineDeployment').at(-1)).not.toHaveProperty('error');
      const looks = log.count('observeMachineDeployment');
      await temporal.skip(600);
      expect(log.count('observeMachineDeployment')).toBeLessThanOrEqual(looks + 1);
      expect(log.count('applyDeploymentSteps')).toBe(1);
    });
  });
});

describe('Nodes that cannot be written', () => {
  test('do not hold up the sets; the work is tried again, later each time', async () => {
    let isBroken = true;
    const rollout = new RolloutWorld(temporal, () => ({
      updateRolloutNodes: async ({ step }) => {
        if (isBroken) throw new Error('no route to the target cluster');
        for (const set of rollout.facts.sets) {
          if (step.action === 'taintNodes' && set.name === step.set) set.isTainted = true;
        }
        return { protectedNodes: [] };
      },
    }));
    const { world, log, facts } = rollout;
    tainting(rollout);
    await rollout.run(async () => {
      const begin = await temporal.now();
      await world.observe();
      await log.until('updateRolloutNodes');
      await rollout.until('the error is said', ({ lastError }) =>
        Boolean(lastError?.includes('no route to the target cluster')),
      );
      facts.replicas = 5;
      await world.observe({ generation: 2 });
      await eventually('the new set grows', async () => (facts.sets[1]?.replicas ?? 0) > 1);
      expect(log.inputsOf('observeMachineDeployment').at(-1)).not.toHaveProperty('error');
      await temporal.skip(3);
      await log.until('updateRolloutNodes', 2);
      isBroken = false;
      await temporal.skip(5);
      await log.until('updateRolloutNodes', 3);
      await expectBackoff(log.count('updateRolloutNodes'), begin);
      await rollout.until('the error is over', ({ lastError }) => lastError === undefined);
    });
  });

  test('are not tainted without a rest where another controller takes the taint back', async () => {
    const rollout = new RolloutWorld(temporal, () => ({
      updateRolloutNodes: async () => ({ protectedNodes: [] }),
    }));
    const { world, log } = rollout;
    tainting(rollout);
    await rollout.run(async () => {
      await world.observe();
      await log.until('updateRolloutNodes', 30);
      await rollout.planned();
      await temporal.skip(20);
      expect(log.count('updateRolloutNodes')).toBeLessThan(40);
      await temporal.skip(120);
      expect(log.count('updateRolloutNodes')).toBeGreaterThan(32);
    });
  });

  test('cost no looks while the next attempt runs', async () => {
    let attempts = 0;
    const rollout = new RolloutWorld(temporal, () => ({
      updateRolloutNodes: async () => {
        attempts += 1;
        return attempts === 1 ? await fail('no route') : await hang();
      },
    }));
    const { world, log, facts } = rollout;
    Object.assign(facts, { hasNodes: true, sets: [aSet({ name: 'pool-0', machines: 'AAA' })] });
    rollout.stuck.add('pool-1');
    await rollout.run(async () => {
      await world.observe();
      await rollout.until('the error is said', ({ lastError }) => lastError !== undefined);
      await temporal.skip(3);
      await log.until('updateRolloutNodes', 2);
      await rollout.planned();
      const looks = log.count('observeMachineDeployment');
      for (let turn = 0; turn < 20; turn += 1) await rollout.planned();
      expect(log.count('observeMachineDeployment')).toBeLessThanOrEqual(looks + 1);
    });
  });

  test('are no reason to stay when the deployment is gone', async () => {
    const rollout = new RolloutWorld(temporal, () => ({
      updateRolloutNodes: async () => await fail('no route'),
    }));
    const { world, facts } = rollout;
    Object.assign(facts, { hasNodes: true, sets: [aSet({ name: 'pool-0', machines: 'AAA' })] });
    await rollout.run(async () => {
      await world.observe();
      await rollout.until('the error is said', ({ lastError }) => lastError !== undefined);
      rollout.uid = undefined;
      const gone = { cluster, epoch: 1, resourceVersion: '9999', uid: 'uid-1' };
      await world.handle.signal(machineDeploymentGone, gone);
      expect(await resultOf(world.handle)).toEqual({ reason: 'the MachineDeployment is gone' });
    });
  });
});

test('a rollout that waits for its time is found by it, and leaves its Nodes to the cluster autoscaler', async () => {
  const nodes: Partial<Steps> = { updateRolloutNodes: async () => ({ protectedNodes: [] }) };
  const rollout = new RolloutWorld(temporal, () => nodes);
  const { world, facts, log } = rollout;
  const at = (await rollout.now()) + 86_400_000;
  const options = { ...facts.options, rolloutAfter: { at, text: 'tomorrow' } };
  const sets = [aSet({ name: 'pool-0', machines: 'AAA' })];
  Object.assign(facts, {
    hasNodes: true,
    protectsNodes: true,
    unprotectedNodes: ['a'],
    options,
    sets,
  });
  await rollout.run(async () => {
    await world.observe();
    await rollout.until('it waits', ({ state }) => state === 'Paused');
    const deadline = async (): Promise<number | undefined> =>
      (await world.handle.describe()).typedSearchAttributes.get(keys.Deadline)?.getTime();
    expect(await deadline()).toBe(at);
    await log.until('updateRolloutNodes', 1);
    expect(log.inputsOf('updateRolloutNodes')).toMatchObject([
      { step: { action: 'releaseNodes' } },
    ]);
    options.rolloutAfter.at += 3_600_000;
    const later = new Date(options.rolloutAfter.at).toISOString();
    await rollout.until('it waits longer', ({ until }) => until === later);
    await eventually('that is found, too', async () => (await deadline()) === at + 3_600_000);
    options.rolloutAfter.at = 0;
    await rollout.until('it goes on', ({ state }) => state !== 'Paused');
    await eventually('it has no deadline', async () => (await deadline()) === undefined);
  });
});

/** The Nodes of its old set are to be tainted, and its new machines never run. */
function tainting({ facts, stuck }: RolloutWorld): void {
  facts.hasNodes = true;
  facts.protectsNodes = false;
  facts.sets = [aSet({ name: 'pool-0', machines: 'AAA' })];
  stuck.add('pool-1');
}

function fail(message: string): Promise<never> {
  return Promise.reject(new Error(message));
}

/** A webhook takes back what a sync writes while `isReverted`. */
function reverting() {
  const world = new RolloutWorld(temporal, (own) => ({
    applyDeploymentSteps: async (input) => {
      const [step] = input.steps;
      if (step?.action !== 'syncSet')
        return (await own.applyDeploymentSteps?.(input)) ?? { written: [] };
      for (const set of world.facts.sets) set.needsSync = rollout.isReverted;
      return { written: [{ name: step.name, resourceVersion: '9' }] };
    },
  }));
  world.facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA', needsSync: true })];
  const isForgotten = async (): Promise<void> => {
    await eventually('the condition does not say it any more', async () => {
      const look = world.log.inputsOf('observeMachineDeployment').at(-1);
      return look !== undefined && look.error === undefined;
    });
  };
  const rollout = { world, isReverted: true, isForgotten };
  return rollout;
}

describe('a write that is accepted and does not last', () => {
  const message =
    'syncSet pool-1: written, but not to be found afterwards: a webhook, another controller or the schema of the resource takes it back';

  test('is said, with one Event, and tried again ever later', async () => {
    const rollout = reverting();
    const { world, log } = rollout.world;
    await rollout.world.run(async () => {
      const begin = await temporal.now();
      await world.observe();
      await log.until('reportDeployment');
      await temporal.skip(3);
      await log.until('applyDeploymentSteps', 2);
      expect(log.inputsOf('observeMachineDeployment').at(-1)).toMatchObject({ error: message });
      expect(await rollout.world.planned()).toMatchObject({ lastError: message });
      expect(log.inputsOf('reportDeployment')).toMatchObject([
        { report: { type: 'Warning', reason: 'MachineSetUpdateError', message } },
      ]);
      rollout.isReverted = false;
      await temporal.skip(5);
      await rollout.isForgotten();
      await expectBackoff(log.count('applyDeploymentSteps'), begin);
    });
  });

  test('of the annotations of a set keeps no replicas waiting, and its own attempts come ever later', async () => {
    const rollout = reverting();
    const { world, log, facts } = rollout.world;
    const syncs = (): number =>
      rollout.world.actions().filter((action) => action === 'syncSet').length;
    await rollout.world.run(async () => {
      const begin = await temporal.now();
      await world.observe();
      await log.until('reportDeployment');
      facts.replicas = 5;
      await rollout.world.until('the set grows', () => facts.sets[0]?.replicas === 5);
      expect(log.inputsOf('observeMachineDeployment').at(-1)).toMatchObject({ error: message });
      await temporal.skip(3);
      await log.until('applyDeploymentSteps', 3);
      await temporal.skip(5);
      await log.until('applyDeploymentSteps', 4);
      await expectBackoff(syncs(), begin);
      expect(log.count('reportDeployment')).toBe(1);
    });
  });

  test('is tried at once when the spec changes', async () => {
    const rollout = reverting();
    const { world, log } = rollout.world;
    await rollout.world.run(async () => {
      await world.observe();
      await log.until('reportDeployment');
      rollout.isReverted = false;
      await world.observe({ generation: 2 });
      await log.until('applyDeploymentSteps', 2);
      await rollout.isForgotten();
      expect(rollout.world.actions()).toEqual(['syncSet', 'syncSet']);
    });
  });
});

test('a rollout that was finished is known to be so through a pause, until another begins', async () => {
  const rollout = new RolloutWorld(temporal);
  const { world, log, facts } = rollout;
  const noted = (): unknown => log.inputsOf('observeMachineDeployment').at(-1)?.finished;
  async function look(generation: number): Promise<void> {
    const looks = log.count('observeMachineDeployment');
    await world.observe({ generation });
    await log.until('observeMachineDeployment', looks + 1);
    await rollout.planned();
  }
  facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA' })];
  await rollout.run(async () => {
    facts.progress.reason = 'NewMachineSetAvailable';
    await look(1);
    facts.progress.reason = 'DeploymentPaused';
    facts.isPaused = true;
    await look(2);
    expect(noted()).toBe('pool-1');
    await look(3);
    expect(noted()).toBe('pool-1');
    rollout.changeTemplate();
    await look(4);
    await look(5);
    expect(noted()).toBeUndefined();
  });
});

test('another surge is noted on the set each time: no write was taken back', async () => {
  const rollout = new RolloutWorld(temporal);
  const { world, log, facts } = rollout;
  facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA' })];
  await rollout.run(async () => {
    for (const maxSurge of [2, 3, 2]) {
      facts.maxSurge = maxSurge;
      for (const set of facts.sets) set.hasFreshScaling = false;
      const noted = log.count('applyDeploymentSteps');
      await world.observe({ generation: maxSurge + noted });
      await log.until('applyDeploymentSteps', noted + 1);
      await rollout.planned();
    }
    const notes = log.inputsOf('applyDeploymentSteps').map(({ scaling }) => scaling.max);
    expect(notes).toEqual([5, 6, 5]);
    expect(log.count('reportDeployment')).toBe(0);
  });
});

test('a write that another controller takes back once it was read is repeated ever later, and said', async () => {
  const rollout = new RolloutWorld(temporal, (own) => ({
    observeMachineDeployment: async (input) => {
      const outcome = (await own.observeMachineDeployment?.(input)) ?? { found: false };
      const [set] = rollout.facts.sets;
      if (set?.needsSync === false) {
        set.needsSync = true;
        await rollout.world.changeSets();
      }
      return outcome;
    },
    applyDeploymentSteps: async ({ steps: [step] }) => {
      for (const set of rollout.facts.sets) set.needsSync = false;
      return { written: step && 'name' in step ? [{ name: step.name, resourceVersion: '9' }] : [] };
    },
  }));
  const { world, log, facts } = rollout;
  facts.sets = [theNewSet({ name: 'pool-1', machines: 'AAA', needsSync: true })];
  await rollout.run(async () => {
    await world.observe();
    await log.until('applyDeploymentSteps', 30);
    await log.until('reportDeployment');
    expect((await rollout.planned()).lastError).toContain('another controller');
    await temporal.skip(20);
    expect(log.count('applyDeploymentSteps')).toBeLessThan(40);
    await temporal.skip(120);
    expect(log.count('applyDeploymentSteps')).toBeGreaterThan(32);
  });
});

test('a rollout that always has news continues as new when its run has grown long', async () => {
  const rollout = new RolloutWorld(temporal, (own) => ({
    observeMachineDeployment: async (input) => {
      await rollout.world.changeSets();
      return (await own.observeMachineDeployment?.(input)) ?? { found: false };
    },
  }));
  rollout.facts.sets = [
    aSet({ name: 'pool-0', machines: 'AAA' }),
    theNewSet({ name: 'pool-1', machines: 'U' }),
  ];
  rollout.stuck.add('pool-1');
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.log.until('observeMachineDeployment');
    const first = await rollout.runId();
    for (let seconds = 0; seconds < 200 && (await rollout.runId()) === first; seconds += 1) {
      await temporal.skip(1);
    }
    await rollout.until('it goes on', ({ state }) => state === 'Progressing');
    expect(await rollout.runId()).not.toBe(first);
  });
});

test('an override of policies is said when it begins and when it ends, and wakes the plan then', async () => {
  const rollout = new RolloutWorld(temporal);
  const { world, log, facts } = rollout;
  const until = (await temporal.now()) + 600_000;
  facts.options.overridePolicies = { until, reason: 'CVE-2026-1234 (by ada)' };
  const reports = (): unknown[] =>
    log.inputsOf('reportDeployment').map(({ report }) => report.reason);
  await rollout.run(async () => {
    await world.observe();
    await rollout.isComplete();
    await log.until('reportDeployment');
    expect(reports()).toEqual(['PolicyOverridden']);
    await temporal.skip(601);
    await log.until('reportDeployment', 2);
    expect(reports()).toEqual(['PolicyOverridden', 'PolicyOverrideEnded']);
    const looks = log.count('observeMachineDeployment');
    await temporal.skip(3600);
    expect(log.count('observeMachineDeployment')).toBe(looks);
  });
});
