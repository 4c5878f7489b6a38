import { MockActivityEnvironment } from '@temporalio/testing';
import { forCurrentAttempt } from '../../../activities/runtime/current-attempt.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import { aMachineSet, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aWorld, placeOf } from '../../support/world.ts';

test('a survey that timed out writes nothing afterwards', async () => {
  const memory = new InMemoryClient(aMachineSet());
  const control = forCurrentAttempt(memory, aWorld());
  const attempt = new MockActivityEnvironment();
  memory.fault = () => {
    // It takes so long that the next attempt begins.
    attempt.cancel();
    return undefined;
  };
  const world = { ...placeOf(memory), control };
  const input = { set: { namespace, name: 'pool' }, now: Date.now() };
  await expect(attempt.run(() => observeMachineSet(world, input))).rejects.toThrow('is over');
  expect(memory.writes()).toEqual([]);
});

test('an attempt that is not over writes', async () => {
  const memory = new InMemoryClient(aMachineSet());
  const world = { ...placeOf(memory), control: forCurrentAttempt(memory, aWorld()) };
  const input = { set: { namespace, name: 'pool' }, now: Date.now() };
  await new MockActivityEnvironment().run(() => observeMachineSet(world, input));
  expect(memory.writes()).not.toEqual([]);
});
