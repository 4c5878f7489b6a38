/** A Machine whose MachineClass its driver refuses. */
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import type { MachineFailure } from '../../../workflows/plan/machine/facts.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const wrongClass: MachineFailure = {
  code: 'InvalidArgument',
  message: 'no such class',
  isSettled: true,
};

describe('a faulty class', () => {
  test('is reported, and its repair wakes the machine before the back-off is over', async () => {
    let failure: MachineFailure | undefined = wrongClass;
    const world = await MachineWorld.create(temporal, {
      readAndClaimMachine: async () => ({
        found: true,
        machine: world.read(),
        ...(failure && { failure }),
      }),
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('CrashLoopBackOff');
      const [report] = world.log.inputsOf('recordFailure');
      expect(report).toMatchObject({
        failure: wrongClass,
        operation: 'Create',
        phase: 'CrashLoopBackOff',
      });
      const { typedSearchAttributes } = await world.handle.describe();
      expect(typedSearchAttributes.get(keys.Attention)).toBe('person');
      const { failure: waiting } = await world.state();
      expect(waiting?.retryAt).toBeGreaterThan(await temporal.now());
      failure = undefined;
      await world.repairClass();
      // The server's clock stands but for real time: nothing but the signal can have woken it.
      await world.phase('Pending');
      expect(world.log.inputsOf('readAndClaimMachine').at(-1)).toMatchObject({ isRetry: true });
    });
  });

  const noRoom: MachineFailure = { code: 'ResourceExhausted', message: 'full', isSettled: true };

  test.each([
    { name: 'the class', mend: (world: MachineWorld) => world.repairClass() },
    {
      name: 'the spec',
      mend: (world: MachineWorld) => world.observe({ specDigest: 'names another class' }),
    },
  ])('is tried at once when $name was mended while the cloud refused it', async ({ mend }) => {
    let creates = 0;
    const world = await MachineWorld.create(temporal, {
      createInstance: async () => {
        creates += 1;
        if (creates > 1) return { outcome: 'created', instance };
        await mend(world);
        return { outcome: 'failed', failure: noRoom };
      },
    });
    await world.run(async () => {
      await world.begin();
      // Ten minutes otherwise.
      await world.phase('Pending');
      expect(world.log.count('readAndClaimMachine')).toBe(2);
    });
  });

  test('is tried again after ever longer waits', async () => {
    const reportedAt: number[] = [];
    const world = await MachineWorld.create(temporal, {
      readAndClaimMachine: async () => ({
        found: true,
        machine: world.read(),
        failure: wrongClass,
      }),
      recordFailure: async () => {
        reportedAt.push(await temporal.now());
      },
    });
    await world.run(async () => {
      await world.begin();
      for (const attempts of [1, 2, 3, 4]) {
        await world.log.until('recordFailure', attempts);
        await temporal.skip(2 ** attempts);
      }
      await world.log.until('recordFailure', 5);
      const [first = 0, ...others] = reportedAt;
      const seconds = others.map((at, index) => (at - (reportedAt[index] ?? first)) / 1000);
      // Pauses of 2, 4, 8 and 16 s, each shortened by up to a quarter. How much later a worker
      // comes is its own affair.
      for (const [index, least] of [1.5, 3, 6, 12].entries()) {
        expect(seconds[index]).toBeGreaterThanOrEqual(least);
      }
      expect((await world.state()).failure?.attempts).toBe(5);
      expect(world.log.count('createInstance')).toBe(0);
    });
  });
});
