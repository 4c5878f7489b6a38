/** What a server that is not a double makes of a survey that takes longer than its attempt may. */
import { Context } from '@temporalio/activity';
import { forCurrentAttempt } from '../../../activities/runtime/current-attempt.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { aWorld } from '../../support/world.ts';
import { Machines, SetWorld } from '../machine-set/set-world.ts';

const temporal = TemporalForTests.ofFile();

test('an attempt that timed out can write nothing while the next one is at work', async () => {
  const memory = new InMemoryClient(aMachine());
  const machines = new Machines(1);
  const steps = machines.steps();
  const late: Promise<unknown>[] = [];
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    observeMachineSet: async () => {
      if (late.length > 0) return await steps.observeMachineSet();
      const { cancellationSignal } = Context.current();
      const isOver = new Promise<void>((resolve) => {
        cancellationSignal.addEventListener('abort', () => resolve());
      });
      const write = isOver.then(async () => {
        const control = forCurrentAttempt(memory, aWorld());
        const path = customResource('machines', namespace, 'pool-a');
        return await control.patch(path, 'merge', { metadata: { labels: { late: 'true' } } });
      });
      late.push(write.catch((error: unknown) => error));
      await isOver;
      throw new Error('too late');
    },
  });
  await world.run(async () => {
    await world.observe();
    await eventually('1 machine', async () => machines.names.size === 1);
    expect(await Promise.all(late)).toEqual([
      expect.objectContaining({ message: 'this attempt is over: another one may be at work' }),
    ]);
    expect(memory.writes()).toEqual([]);
  });
});
