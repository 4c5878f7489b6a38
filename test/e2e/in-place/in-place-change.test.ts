/** What people do in the middle of an update in place. */
import { eventually } from '../../support/eventually.ts';
import { useInPlace, type InPlace } from '../support/in-place.ts';
import { untilCondition } from '../support/rollouts.ts';
import { Workloads } from '../support/workloads.ts';

/** One machine has moved, and the agent of the next one, which is returned, does not answer. */
async function untilMiddle(inPlace: InPlace): Promise<string> {
  for (const name of inPlace.names) await inPlace.tell(name, 'never');
  await inPlace.changeTemplate('two');
  const [first = ''] = await inPlace.untilSome(1, 'ReadyForUpdate');
  await inPlace.tell(first, 'successful');
  await inPlace.untilMoved([first]);
  const [next = ''] = await inPlace.untilSome(1, 'ReadyForUpdate');
  return next;
}

async function letAgentsAnswer(inPlace: InPlace): Promise<void> {
  for (const name of inPlace.names) await inPlace.tell(name, 'successful');
}

describe('an update in place that is changed in the middle', () => {
  const inPlaces = useInPlace('in-place-change');
  const { scenario } = inPlaces;
  const workloads = new Workloads(scenario);

  test('scaled up, new machines are of the new template, and none goes', async () => {
    const inPlace = await inPlaces.begin({ replicas: 3 });
    await untilMiddle(inPlace);
    await scenario.cluster.scale(inPlace.rollout.name, 4);
    await letAgentsAnswer(inPlace);
    await inPlace.expectUpdated({ replicas: 4, made: 1 });
    expect(await inPlace.deleted()).toEqual([]);
  });

  test('scaled down, a machine goes, and the others are updated', async () => {
    const inPlace = await inPlaces.begin({ replicas: 3 });
    await untilMiddle(inPlace);
    await scenario.cluster.scale(inPlace.rollout.name, 2);
    await letAgentsAnswer(inPlace);
    await inPlace.expectUpdated({ replicas: 2 });
    expect(await inPlace.deleted()).toHaveLength(1);
  });

  test('paused, it finishes what it has begun and begins nothing; resumed, it goes on', async () => {
    const inPlace = await inPlaces.begin({ replicas: 3 });
    const { rollout } = inPlace;
    const next = await untilMiddle(inPlace);
    await rollout.patch({ paused: true });
    await untilCondition(scenario, rollout.name, { status: 'Unknown', reason: 'DeploymentPaused' });
    await letAgentsAnswer(inPlace);
    await inPlace.untilMoved([next]);
    await rollout.expectStandstill();
    const nodes = await scenario.cluster.nodes();
    const closed = nodes.filter(({ spec }) => spec?.unschedulable);
    expect(closed.map(({ metadata }) => metadata.name)).toEqual([]);
    expect(rollout.sizes.old).toBeGreaterThan(0);
    await rollout.patch({ paused: false });
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
  });

  test('rolled back, what was not updated stays, and what was goes back in place', async () => {
    const inPlace = await inPlaces.begin({ replicas: 3 });
    const { rollout } = inPlace;
    await untilMiddle(inPlace);
    await rollout.patch({ rollbackTo: { revision: 1 } });
    await letAgentsAnswer(inPlace);
    await eventually('all machines are in the first set', async () => {
      const revisions = await rollout.revisions();
      expect(revisions.at(-1)).toMatchObject({ set: rollout.firstSet, wanted: 3, available: 3 });
    });
    await rollout.untilFound('State="Complete"');
    expect(await inPlace.deleted()).toEqual([]);
    await expectAllInService();
  });

  test('given another template, all end with that one', async () => {
    const inPlace = await inPlaces.begin({ replicas: 3 });
    await untilMiddle(inPlace);
    await inPlace.changeTemplate('three');
    await letAgentsAnswer(inPlace);
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
    inPlace.nodes.expectBounds({ minInService: 2, maxSelected: 1 });
  });

  test('a PodDisruptionBudget holds the drain, which goes on when it is gone', async () => {
    const inPlace = await inPlaces.begin({ replicas: 1 });
    const [name = ''] = inPlace.names;
    await workloads.start({ app: 'web', nodeName: name, tolerates: 'dedicated' });
    await workloads.guard('web', { app: 'web', maxUnavailable: 0 });
    await inPlace.changeTemplate('two');
    await eventually('its drain is blocked', async () => {
      const found = await scenario.workflows.running('State="DrainBlocked"');
      expect(found).toEqual([`machine/${scenario.namespace}/${name}`]);
    });
    await inPlace.untilReason(name, 'SelectedForUpdate');
    expect(await workloads.podsOn(name, 'web')).toHaveLength(1);
    await scenario.cluster.delete(workloads.budgets('web'));
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
    await workloads.end('web');
  });

  async function expectAllInService(): Promise<void> {
    await eventually('no Node is closed or marked', async () => {
      const nodes = await scenario.cluster.nodes();
      const marked = nodes.filter(({ metadata, spec }) => {
        const keys = Object.keys(metadata.labels ?? {});
        return spec?.unschedulable === true || keys.some((key) => key.endsWith('-for-update'));
      });
      expect(marked.map(({ metadata }) => metadata.name)).toEqual([]);
    });
  }
});
