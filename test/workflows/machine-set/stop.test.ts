/**
 * A person has stopped everything: a set with machines to make or to delete goes on with the rest.
 */
import { stopped } from '../../../activities/runtime/failures.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { Machines, SetWorld } from './set-world.ts';

const temporal = TemporalForTests.ofFile();

const words = 'stopped by ConfigMap shoot/millwright-stop';

/** A set whose batches wait at their gate while `isStopped`. */
function stoppedWorld(machines: Machines) {
  const place = { isStopped: true };
  const steps = machines.steps();
  const behindGate = <Input, Outcome>(step: (input: Input) => Promise<Outcome>) => {
    return async (input: Input): Promise<Outcome> => {
      if (place.isStopped) throw stopped(words);
      return await step(input);
    };
  };
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    createMachines: behindGate(steps.createMachines),
    deleteMachines: behindGate(steps.deleteMachines),
    waitForResume: behindGate(async () => undefined),
  });
  return { world, place };
}

/** The set is read, and so its status written, for each change that the watcher sees. */
async function surveysEachChange(world: SetWorld): Promise<void> {
  for (let change = 1; change <= 3; change += 1) {
    const before = world.log.count('observeMachineSet');
    await world.changeMachines();
    await world.log.until('observeMachineSet', before + 1);
  }
}

test('a stopped set with machines to make writes its status, and makes them after the stop', async () => {
  const machines = new Machines(3);
  const { world, place } = stoppedWorld(machines);
  await world.run(async () => {
    await world.observe();
    await world.log.until('waitForResume');
    await surveysEachChange(world);
    expect(world.log.names().filter((name) => name === 'createMachines')).toHaveLength(1);
    expect(world.log.inputsOf('observeMachineSet').at(-1)).not.toHaveProperty('batchSize');
    place.isStopped = false;
    await eventually('3 machines', async () => machines.names.size === 3);
  });
});

test('a stopped set with machines to delete pushes its template, and deletes them after the stop', async () => {
  const machines = new Machines(1);
  for (const name of ['a', 'b', 'c']) machines.names.add(name);
  const { world, place } = stoppedWorld(machines);
  await world.run(async () => {
    await world.observe();
    await world.log.until('waitForResume');
    machines.unlike.add('a');
    await surveysEachChange(world);
    await world.log.until('pushTemplate');
    expect(machines.names.size).toBe(3);
    place.isStopped = false;
    await eventually('1 machine', async () => machines.names.size === 1);
  });
});

test('a stopped set that was scaled meanwhile makes only what is wanted after the stop', async () => {
  const machines = new Machines(3);
  const { world, place } = stoppedWorld(machines);
  await world.run(async () => {
    await world.observe();
    await world.log.until('waitForResume');
    machines.replicas = 1;
    machines.generation = 2;
    await world.observe({ generation: 2 });
    await world.log.until('observeMachineSet', 3);
    place.isStopped = false;
    await eventually('1 machine', async () => machines.names.size === 1);
    await world.log.until('createMachines', 2);
    expect(machines.names.size).toBe(1);
  });
});
