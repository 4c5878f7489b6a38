import type { MachineFailure } from '../../../workflows/plan/machine/facts.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const refused: MachineFailure = {
  code: 'Unauthenticated',
  kind: 'credentials',
  message: 'no',
  isSettled: true,
};

const reportAcceptance = async (): Promise<void> => undefined;

test('a create that succeeds after one that was refused is reported on the class, once', async () => {
  let isRefused = true;
  const world = await MachineWorld.create(temporal, {
    reportAcceptance,
    createInstance: async () =>
      isRefused
        ? { outcome: 'failed', failure: refused }
        : { outcome: 'created', instance: { ...instance, isFound: false } },
  });
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    // The kind says on the class what a code alone does not.
    expect(world.log.inputsOf('recordFailure')).toMatchObject([{ failure: refused }]);
    isRefused = false;
    await world.repairClass();
    await world.phase('Pending');
    await world.requestDeletion();
    await resultOf(world.handle);
  });
  const ref = { namespace: world.ref.namespace, name: 'small' };
  expect(world.log.inputsOf('reportAcceptance')).toEqual([{ ref }]);
});

test('the first successful call of a machine that found its class refused is reported on the class, be it a deletion', async () => {
  const world = await MachineWorld.create(temporal, { reportAcceptance });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    world.object.isClassRefused = true;
    await world.requestDeletion();
    await resultOf(world.handle);
  });
  expect(world.log.names().slice(-4)).toEqual([
    'drainNode',
    'deleteInstance',
    'reportAcceptance',
    'finishTeardown',
  ]);
});
