/** Agents that are early or late, reboot or die: what they answer counts, whenever it comes. */
import { annotations, labels } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { useInPlace } from '../support/in-place.ts';
import { untilPhase } from '../support/machines.ts';
import { Workloads } from '../support/workloads.ts';

describe('an update in place', () => {
  const inPlaces = useInPlace('in-place-agents');
  const { scenario, agent } = inPlaces;
  const workloads = new Workloads(scenario);

  test('goes on whatever agents do that answer', async () => {
    const behaviours = [
      'late=3s',
      'early',
      'dies',
      'reboots=3s',
      'deletes-pods',
      'failed-then-successful',
    ];
    const { length } = behaviours;
    const inPlace = await inPlaces.begin({ replicas: length, maxUnavailable: length });
    for (const [index, behaviour] of behaviours.entries())
      await inPlace.tell(inPlace.names[index] ?? '', behaviour);
    await inPlace.changeTemplate('two');
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
    const failing = inPlace.nodes.reasons.get(inPlace.names[length - 1] ?? '');
    expect(failing?.slice(-2)).toEqual(['UpdateFailed', 'UpdateSuccessful']);
  });

  test('counts an answer that comes before the drain only when the pods have left', async () => {
    const inPlace = await inPlaces.begin({ replicas: 1, agents: 'early' });
    const [name = ''] = inPlace.names;
    await workloads.start({ app: 'web', nodeName: name, tolerates: 'dedicated' });
    await workloads.guard('web', { app: 'web', maxUnavailable: 0 });
    await inPlace.changeTemplate('two');
    await eventually('the agent has answered', async () => {
      const { metadata } = await inPlace.node(name);
      expect(metadata.labels).toMatchObject({ [labels.updateResult]: 'successful' });
    });
    await inPlace.rollout.untilFound('State="Progressing"');
    await inPlace.untilReason(name, 'SelectedForUpdate');
    expect(await workloads.podsOn(name, 'web')).toHaveLength(1);
    await scenario.cluster.delete(workloads.budgets('web'));
    await inPlace.expectUpdated();
    await workloads.end('web');
  });

  test('says why it failed, holds the next ones, and goes on when the agent succeeds', async () => {
    const inPlace = await inPlaces.begin({ replicas: 2, agents: 'failed' });
    await inPlace.changeTemplate('two');
    const [first = ''] = await inPlace.untilSome(1, 'UpdateFailed');
    const machine = await untilPhase(scenario, first, 'InPlaceUpdateFailed');
    const told = 'Node in-place update failed: the update agent was told to fail';
    expect(machine.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'InPlaceUpdate', reason: 'UpdateFailed', message: told }),
    );
    await inPlace.untilSome(1, 'CandidateForUpdate');
    for (const name of inPlace.names) await inPlace.tell(name, 'successful');
    await inPlace.mark(first, {
      labels: { [labels.updateResult]: 'successful' },
      annotations: { [annotations.updateFailedReason]: null },
    });
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
    inPlace.nodes.expectBounds({ minInService: 1, maxSelected: 1 });
  });

  test('an agent that is killed in the middle begins anew', async () => {
    const inPlace = await inPlaces.begin({ replicas: 1, agents: 'never' });
    await inPlace.changeTemplate('two');
    await inPlace.untilSome(1, 'ReadyForUpdate');
    await agent.kill9();
    for (const name of inPlace.names) await inPlace.tell(name, 'late=2s,reboots=1s');
    agent.start();
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
  });
});
