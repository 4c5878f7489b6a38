/** Updates in place that fail: the machine is replaced, or the update stops. */
import { options } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { useInPlace, type InPlace } from '../support/in-place.ts';
import {
  createDeployment,
  deleteDeployment,
  machinesOf,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';

const impatient = { healthTimeout: '2s', inPlaceUpdateTimeout: '2s' };

describe('an update in place that fails', () => {
  const inPlaces = useInPlace('in-place-failure');
  const { scenario } = inPlaces;

  test.each(['never', 'failed'])(
    'replaces the machine where it is told to, when the agent answers: %s',
    async (agents) => {
      const inPlace = await inPlaces.begin({ replicas: 2, agents });
      await inPlace.rollout.annotate({ [options.inPlaceFailure]: 'replace' });
      await inPlace.configure(impatient);
      await inPlace.changeTemplate('two');
      // Both, one after the other: nothing stops a bad update.
      const after = await inPlace.expectUpdated({ made: 2 });
      expect(await inPlace.deleted()).toHaveLength(2);
      expect(after.filter((name) => inPlace.names.includes(name))).toEqual([]);
      inPlace.rollout.recorder.expectBounds({ maxActive: 2 });
      inPlace.nodes.expectBounds({ minInService: 0, maxSelected: 1 });
    },
  );

  test('stops until a person has it tried again', async () => {
    const inPlace = await inPlaces.begin({ replicas: 2, agents: 'failed' });
    const { rollout } = inPlace;
    await inPlace.configure(impatient);
    await inPlace.changeTemplate('two');
    const [first = ''] = await inPlace.untilSome(1, 'UpdateFailed');
    await untilPhase(scenario, first, 'InPlaceUpdateFailed');
    await rollout.untilFound('State="Blocked"');
    await untilOthersAreReplaced();
    await expectStill(inPlace, first);
    for (const name of inPlace.names) await inPlace.tell(name, 'successful');
    await scenario.workflows.handleOf('machine', first).executeUpdate('retryUpdate', {
      args: [{ by: 'ann' }],
    });
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
    inPlace.nodes.expectBounds({ minInService: 1, maxSelected: 1 });
  });

  test('stops until a person gives the machine up', async () => {
    const inPlace = await inPlaces.begin({ replicas: 2, agents: 'failed' });
    const { rollout } = inPlace;
    await inPlace.changeTemplate('two');
    const [first = ''] = await inPlace.untilSome(1, 'UpdateFailed');
    await rollout.untilFound('State="Blocked"');
    for (const name of inPlace.names) await inPlace.tell(name, 'successful');
    await scenario.workflows.handleOf('machine', first).executeUpdate('giveUpUpdate', {
      args: [{ by: 'ann' }],
    });
    await inPlace.expectUpdated({ made: 1 });
    expect(await inPlace.deleted()).toEqual([first]);
  });

  /** Another pool, whose machine fell ill later, has a new one: the time of the first is over. */
  async function untilOthersAreReplaced(): Promise<void> {
    const other = await createDeployment(scenario, 'other', { replicas: 1 });
    const [machine] = await untilRunning(scenario, other, 1);
    const name = machine?.metadata.name ?? '';
    const spec = { template: { spec: impatient } };
    await scenario.cluster.patch('machinedeployments', other, { spec });
    await setReady(scenario, name, false);
    await eventually(`${name} is replaced`, async () => {
      const names = (await machinesOf(scenario, other)).map(({ metadata }) => metadata.name);
      expect(names).not.toContain(name);
    });
    await deleteDeployment(scenario, other);
  }

  async function expectStill({ rollout, names, nodes }: InPlace, first: string): Promise<void> {
    const machines = await machinesOf(scenario, rollout.name);
    expect(machines.map(({ metadata }) => metadata.name).toSorted()).toEqual(names);
    expect((await scenario.cluster.machine(first)).status?.currentStatus?.phase).toBe(
      'InPlaceUpdateFailed',
    );
    nodes.expectBounds({ minInService: 1, maxSelected: 1 });
  }
});
