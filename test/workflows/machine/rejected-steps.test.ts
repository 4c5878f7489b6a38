/**
 * A step that is rejected, as an operator can do in the Temporal UI, ends no life: the step is
 * tried again after a while.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { eventually } from '../../support/eventually.ts';
import { resultOf } from '../../support/result-of.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

/** Rejects the first call of the step. */
class Rejection {
  hasHappened = false;
  readonly interceptor: ActivityInterceptorsFactory;

  constructor(step: string) {
    this.interceptor = ({ info }) => ({
      inbound: {
        execute: async (input, next) => {
          if (this.hasHappened || info.activityType !== step) return await next(input);
          this.hasHappened = true;
          throw ApplicationFailure.nonRetryable('an operator failed it');
        },
      },
    });
  }
}

test.each(['readAndClaimMachine', 'createInstance', 'recordCreated'])(
  'the machine whose %s is rejected gets its instance in the end',
  async (step) => {
    const rejection = new Rejection(step);
    const world = await MachineWorld.create(temporal);
    world.interceptors.push(rejection.interceptor);
    await world.run(async () => {
      await world.begin();
      await eventually('the step is rejected', async () => rejection.hasHappened);
      await temporal.skip(5);
      await world.phase('Pending');
      expect(world.log.count('createInstance')).toBe(1);
      expect(world.log.count('recordCreated')).toBe(1);
    });
  },
);

test('the machine whose recordJoined is rejected runs in the end', async () => {
  const rejection = new Rejection('recordJoined');
  const world = await MachineWorld.create(temporal);
  world.interceptors.push(rejection.interceptor);
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.joinNode();
    await eventually('the step is rejected', async () => rejection.hasHappened);
    await temporal.skip(5);
    await world.phase('Running');
    expect(world.log.count('recordJoined')).toBe(1);
  });
});

test.each(['beginTeardown', 'drainNode', 'deleteInstance', 'finishTeardown'])(
  'the machine whose %s is rejected is deleted in the end',
  async (step) => {
    const rejection = new Rejection(step);
    const world = await MachineWorld.create(temporal);
    world.interceptors.push(rejection.interceptor);
    await world.run(async () => {
      await world.beginAndJoin();
      await world.requestDeletion();
      await eventually('the step is rejected', async () => rejection.hasHappened);
      await temporal.skip(5);
      expect((await resultOf(world.handle)).reason).toBe('instance, Node and object are gone');
    });
  },
);
