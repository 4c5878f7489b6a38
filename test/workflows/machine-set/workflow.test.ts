import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { Machines, SetWorld } from './set-world.ts';

const temporal = TemporalForTests.ofFile();

const batchesOf = (world: SetWorld): number[] =>
  world.log.inputsOf('createMachines').map(({ names }) => names.length);

async function hasMachines(machines: Machines, count: number): Promise<void> {
  await eventually(`${count} machines`, async () => machines.names.size === count);
}

test('a set scales from 0 to 37 in batches of 1, 2, 4 ..., then down to 5, then is deleted', async () => {
  const machines = new Machines(37);
  const world = new SetWorld(temporal, 'machineSet', machines.steps());
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 37);
    expect(batchesOf(world)).toEqual([1, 2, 4, 8, 16, 6]);
    machines.replicas = 5;
    await world.observe({ generation: 2 });
    await hasMachines(machines, 5);
    machines.isDeleting = true;
    await world.observe({ isDeleting: true });
    expect(await resultOf(world.handle)).toEqual({ reason: 'the MachineSet is gone' });
    expect(machines.names.size).toBe(0);
    expect(world.log.count('releaseMachineSet')).toBe(1);
  });
});

test('a set whose deletion was undone, by an etcd that was restored, lives on', async () => {
  const machines = new Machines(0);
  machines.isDeleting = true;
  const world = new SetWorld(temporal, 'machineSet', {
    ...machines.steps(),
    releaseMachineSet: async () => {
      const isGone = !machines.isDeleting;
      Object.assign(machines, { isDeleting: isGone, replicas: 1 });
      return { isGone };
    },
  });
  await world.run(async () => {
    await world.observe({ isDeleting: true });
    await hasMachines(machines, 1);
    expect(world.log.count('releaseMachineSet')).toBe(1);
  });
});

test('a set names its deployment for as long as it has one', async () => {
  const machines = new Machines(0);
  const steps = machines.steps();
  let owner: { machineDeployment?: string } = { machineDeployment: 'workers' };
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async () => ({ ...(await steps.observeMachineSet()), ...owner }),
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('observeMachineSet');
    expect(await world.handle.query('state')).toMatchObject(owner);
    owner = {};
    await world.observe();
    await world.log.until('observeMachineSet', 2);
    expect(await world.handle.query('state')).not.toHaveProperty('machineDeployment');
  });
});

test('a template that meets a fault of the server is pushed again, later each time', async () => {
  const machines = new Machines(1);
  machines.names.add('pool-a');
  machines.unlike.add('pool-a');
  let faults = 2;
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async ({ unpushable }) => {
      const look = await steps.observeMachineSet();
      const { toPush: _held, ...held } = look.observation;
      return unpushable ? { ...look, observation: held } : look;
    },
    pushTemplate: async (input) => {
      if (faults === 0) return await steps.pushTemplate(input);
      faults -= 1;
      return { generation: 1, names: input.names, error: 'no webhook', mayPass: true as const };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('observeMachineSet', 2);
    expect(world.log.count('pushTemplate')).toBe(1);
    await temporal.skip(3);
    await world.log.until('pushTemplate', 2);
    await world.log.until('observeMachineSet', 4);
    expect(world.log.count('pushTemplate')).toBe(2);
    await temporal.skip(5);
    await world.log.until('pushTemplate', 3);
    await eventually('it is forgotten', async () => {
      const { unpushable } = await world.handle.query<{ unpushable?: object }>('state');
      return unpushable === undefined;
    });
    expect(machines.unlike.size).toBe(0);
  });
});

test('a spec that was not reported yet is looked at again after the batch', async () => {
  const machines = new Machines(1);
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async () => {
      const look = await steps.observeMachineSet();
      return look.found && machines.names.size === 0 ? { ...look, isUnreported: true } : look;
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('observeMachineSet', 2);
    expect(world.log.names()).toEqual(['observeMachineSet', 'createMachines', 'observeMachineSet']);
    expect(world.log.inputsOf('observeMachineSet')).toMatchObject([
      { batchSize: 1 },
      { batchSize: 2 },
    ]);
    machines.isDeleting = true;
    await world.observe({ isDeleting: true });
    await resultOf(world.handle);
  });
});

test('a refused batch is reported, backs off, and starts again with one', async () => {
  const machines = new Machines(5);
  let refusals = 1;
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    createMachines: async (input) => {
      const isRefused = input.names.length === 2 && refusals > 0;
      if (!isRefused) return await steps.createMachines(input);
      refusals -= 1;
      return { created: [], taken: [], error: 'exceeded quota' };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('observeMachineSet', 2);
    expect(world.log.inputsOf('observeMachineSet').at(-1)).toMatchObject({
      error: 'exceeded quota',
    });
    expect(batchesOf(world)).toEqual([1, 2]);
    await temporal.skip(3);
    await hasMachines(machines, 5);
    expect(batchesOf(world)).toEqual([1, 2, 1, 2, 1]);
  });
});

test('a refused batch is forgotten once no machine is missing: the next one is not held up', async () => {
  const machines = new Machines(1);
  let isRefused = false;
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    createMachines: async (input) =>
      isRefused
        ? { created: [], taken: [], error: 'exceeded quota' }
        : await steps.createMachines(input),
  });
  const looks = () => world.log.inputsOf('observeMachineSet');
  const scale = async (replicas: number, generation: number): Promise<void> => {
    machines.replicas = replicas;
    machines.generation = generation;
    const before = looks().length;
    await world.observe({ generation });
    await world.log.until('observeMachineSet', before + 1);
  };
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 1);
    isRefused = true;
    await scale(2, 2);
    await eventually('the refusal', async () => looks().at(-1)?.error === 'exceeded quota');
    isRefused = false;
    await scale(1, 3);
    await scale(2, 4);
    expect(looks().at(-1)).not.toHaveProperty('error');
    await hasMachines(machines, 2);
  });
});

test('a machine whose deletion is refused is tried again later, and the set goes on', async () => {
  const machines = new Machines(3);
  const steps = machines.steps();
  const reason = 'FailedDelete' as const;
  let kept: string | undefined;
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async ({ passOver = [] }) => {
      const { observation, ...outcome } = await steps.observeMachineSet();
      const names = observation.toDelete.names.filter((name) => !passOver.includes(name));
      return {
        ...outcome,
        observation: { ...observation, toDelete: { ...observation.toDelete, names } },
      };
    },
    deleteMachines: async ({ names }) => {
      const refusedNames = names.filter((name) => name === kept);
      for (const name of names) if (name !== kept) machines.names.delete(name);
      const deleted = names.length - refusedNames.length;
      if (refusedNames.length === 0) return { deleted };
      return { deleted, refused: { names: refusedNames, reason, message: 'for forensics' } };
    },
  });
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 3);
    [kept] = machines.names;
    machines.isDeleting = true;
    await world.observe({ isDeleting: true });
    await hasMachines(machines, 1);
    await world.log.until('deleteMachines', 2);
    const looks = world.log.inputsOf('observeMachineSet');
    expect(looks.some(({ passOver }) => passOver?.includes(kept ?? ''))).toBe(true);
    expect(looks.at(-1)).toMatchObject({ refusal: { reason, message: 'for forensics' } });
    kept = undefined;
    expect(await resultOf(world.handle)).toEqual({ reason: 'the MachineSet is gone' });
  });
});

test('a refused machine whose time comes during a read is tried again', async () => {
  const machines = new Machines(1);
  const steps = machines.steps();
  const longestBackoffMs = 2_000;
  let isRefused = true;
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async ({ passOver, now }) => {
      const { observation, ...outcome } = await steps.observeMachineSet();
      if (!passOver) return { ...outcome, observation };
      // A local activity would be given up before.
      if (Context.current().info.isLocal) throw new Error('busy');
      await setTimeout(now + longestBackoffMs - Date.now());
      const toDelete = { ...observation.toDelete, names: [] };
      return { ...outcome, observation: { ...observation, toDelete } };
    },
    deleteMachines: async ({ names }) => {
      if (!isRefused) for (const name of names) machines.names.delete(name);
      const refused = { names, reason: 'FailedDelete', message: 'busy' } as const;
      const outcome = isRefused ? { deleted: 0, refused } : { deleted: names.length };
      isRefused = false;
      return outcome;
    },
  });
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 1);
    machines.isDeleting = true;
    await world.observe({ isDeleting: true });
    expect(await resultOf(world.handle)).toEqual({ reason: 'the MachineSet is gone' });
    expect(world.log.count('deleteMachines')).toBe(2);
  });
});

test('a batch that deleted less than planned is followed by a survey of the set', async () => {
  const machines = new Machines(2);
  const steps = machines.steps();
  let isStale = true;
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    deleteMachines: async (input) => {
      if (!isStale) return await steps.deleteMachines(input);
      isStale = false;
      return { deleted: 0 };
    },
  });
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 2);
    machines.replicas = 0;
    machines.generation = 2;
    await world.observe({ generation: 2 });
    await hasMachines(machines, 0);
    expect(world.log.inputsOf('deleteMachines')).toMatchObject([
      { generation: 2 },
      { generation: 2 },
    ]);
    const looks = world.log.inputsOf('observeMachineSet');
    expect(looks.filter(({ atLeast }) => atLeast === undefined)).toHaveLength(1);
    machines.isDeleting = true;
    await world.observe({ isDeleting: true });
    await resultOf(world.handle);
  });
});

test('a set looks again when a preservation ends', async () => {
  const machines = new Machines(0);
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async (input) => {
      const outcome = await steps.observeMachineSet();
      const isOver = world.log.count('observeMachineSet') > 1;
      const holdsUntil = input.now + 60_000;
      return {
        ...outcome,
        observation: { ...outcome.observation, ...(!isOver && { holdsUntil }) },
      };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('observeMachineSet');
    await temporal.skip(61);
    await world.log.until('observeMachineSet', 2);
    const [first, second] = world.log.inputsOf('observeMachineSet');
    expect((second?.now ?? 0) - (first?.now ?? 0)).toBeGreaterThanOrEqual(60_000);
  });
});

test('what is preserved automatically comes before everything else', async () => {
  const machines = new Machines(2);
  const steps = machines.steps();
  let isMarked = false;
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async () => {
      const outcome = await steps.observeMachineSet();
      const autoPreservation = { preserve: ['a'], unpreserve: ['b'] };
      return {
        ...outcome,
        observation: { ...outcome.observation, ...(!isMarked && { autoPreservation }) },
      };
    },
    markPreserved: async () => {
      isMarked = true;
      return {};
    },
  });
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 2);
    expect(world.log.inputsOf('markPreserved')).toMatchObject([
      { set: { uid: 'uid-1' }, preserve: ['a'], unpreserve: ['b'] },
    ]);
    const names = world.log.names();
    expect(names.indexOf('markPreserved')).toBeLessThan(names.indexOf('createMachines'));
  });
});

test('a batch that made nothing, because the set is gone, is followed by a survey', async () => {
  const machines = new Machines(3);
  const steps = machines.steps();
  let isGone = false;
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async () => (isGone ? { found: false } : await steps.observeMachineSet()),
    createMachines: async () => {
      isGone = true;
      return { created: [], taken: [] };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('observeMachineSet', 2);
    expect(batchesOf(world)).toEqual([1]);
  });
});

test('a scale-down in the middle of a batch: the plan is told, and what is withheld is followed by a look', async () => {
  const machines = new Machines(4);
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    createMachines: async (input) => {
      if (input.names.length === 1) return await steps.createMachines(input);
      machines.replicas = 2;
      machines.generation = 2;
      const made = await steps.createMachines({ names: input.names.slice(0, 1) });
      return { ...made, withheld: 1 };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('observeMachineSet', 2);
    expect(world.log.inputsOf('createMachines')).toMatchObject([
      { basis: { generation: 1, replicas: 4 } },
      { basis: { generation: 1, replicas: 4 } },
    ]);
    expect(await world.handle.query('object')).toEqual({ uid: 'uid-1', isGone: false });
    expect(machines.names.size).toBe(2);
    expect(batchesOf(world)).toEqual([1, 2]);
  });
});

test('the template is pushed after the number is right, and those that refuse it are not asked again', async () => {
  const machines = new Machines(2);
  machines.unlike.add('pool-x').add('pool-y');
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    pushTemplate: async ({ names }) => {
      await steps.pushTemplate({ names });
      return { generation: 1, names: ['pool-y'], error: 'no such field' };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('pushTemplate');
    expect(batchesOf(world)).toEqual([1, 1]);
    await world.log.until('observeMachineSet', 2);
    expect(world.log.inputsOf('pushTemplate')).toMatchObject([{ names: ['pool-x', 'pool-y'] }]);
    const unpushable = { generation: 1, names: ['pool-y'], error: 'no such field' };
    expect(world.log.inputsOf('observeMachineSet').at(-1)).toMatchObject({ unpushable });
    machines.generation = 2;
    await world.observe({ generation: 2 });
    await world.log.until('observeMachineSet', 3);
    expect(await world.handle.query('state')).not.toHaveProperty('unpushable');
  });
});

test('the machines to let go are handed to each look until the watcher says that there are none', async () => {
  const machines = new Machines(1);
  const world = new SetWorld(temporal, 'machineSet', machines.steps());
  const straysOfLast = () => world.log.inputsOf('observeMachineSet').at(-1)?.unmatched;
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 1);
    await world.changeMachines({ unmatched: ['pool-s'] });
    await world.log.until('observeMachineSet', 2);
    await world.changeMachines({ epoch: 0 });
    await world.log.until('observeMachineSet', 3);
    expect(straysOfLast()).toEqual(['pool-s']);
    await world.changeMachines();
    await world.log.until('observeMachineSet', 4);
    expect(straysOfLast()).toBeUndefined();
    await world.handle.query('state');
  });
});

test('a machine that failed before it joined counts as a round, until the read says that it is over', async () => {
  const machines = new Machines(1);
  const steps = machines.steps();
  let unjoined: string[] = [];
  let isOver = false;
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async () => {
      const { observation, ...outcome } = await steps.observeMachineSet();
      const failed = unjoined.filter((name) => machines.names.has(name));
      const changes = {
        toDelete: { names: failed, reason: 'failed' },
        ...(failed.length > 0 && { unjoined: failed }),
        ...(isOver && { isChurnOver: true as const }),
      };
      return { ...outcome, observation: { ...observation, ...changes } };
    },
  });
  const looks = () => world.log.inputsOf('observeMachineSet');
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 1);
    for (const rounds of [1, 2]) {
      unjoined = [...machines.names];
      await world.changeMachines();
      await world.log.until('createMachines', rounds + 1);
      expect(looks().at(-1)?.churn).toMatchObject({ rounds });
    }
    unjoined = [];
    isOver = true;
    const before = looks().length;
    await world.changeMachines();
    await world.log.until('observeMachineSet', before + 1);
    await world.changeMachines();
    await world.log.until('observeMachineSet', before + 2);
    expect(looks().at(-1)).not.toHaveProperty('churn');
  });
});
