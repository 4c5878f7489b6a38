/** A rollout is taken back in the middle: what is left of the old machines stays. */
import { className } from '../support/manifests.ts';
import { secondClass, useRollouts, type Rollout } from '../support/rollout-under-test.ts';

const replicas = 6;

async function expectBack(rollout: Rollout): Promise<void> {
  const machines = await rollout.expectEnd({ class: className, replicas });
  rollout.recorder.expectBounds({ maxTotal: 8, minAvailable: 6 });
  // The first set has all machines again, under a new revision.
  expect(await rollout.revisions()).toMatchObject([
    { revision: 2, wanted: 0, replicas: 0, class: secondClass },
    { set: rollout.firstSet, revision: 3, history: [1], wanted: 6, class: className },
  ]);
  const stayed = machines.filter((name) => rollout.firstMachines.includes(name));
  expect(stayed).not.toEqual([]);
  const { spec } = await rollout.deployment();
  expect(spec.rollbackTo).toBeUndefined();
  expect(spec.template.spec?.class?.name).toBe(className);
  await rollout.untilEvent(
    `DeploymentRollback | Rolled back deployment "${rollout.name}" to revision 1`,
  );
}

const rollouts = useRollouts('back');

describe('a rollout that is rolled back in the middle', () => {
  test('by its spec, to a revision', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    expect(rollout.sizes.old).toBeGreaterThan(0);
    await rollout.patch({ rollbackTo: { revision: 1 } });
    await expectBack(rollout);
  });

  test('by an update, to the one before', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    await expect(rollout.update('rollback', { revision: 17 })).rejects.toMatchObject({
      cause: { message: 'revision: 17: no MachineSet has it; known are 1, 2' },
    });
    expect(await rollout.update('rollback', { by: 'ann' })).toBe(
      'Rollback to the previous revision',
    );
    await expectBack(rollout);
    await rollout.untilEvent(
      'DeploymentRollbackRequested | Rollback to the previous revision, asked for through Temporal by "ann"',
    );
  });

  test('by a signal that names a revision', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    expect(rollout.sizes.old).toBeGreaterThan(0);
    await rollout.signal('rollback', { revision: 1 });
    await expectBack(rollout);
  });
});

describe('a rollback that cannot be done', () => {
  test('is taken away from the spec, and an Event says why', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    for (const [revision, event] of [
      [7, 'DeploymentRollbackRevisionNotFound | Unable to find the revision to rollback to.'],
      [0, 'DeploymentRollbackRevisionNotFound | Unable to find the last revision.'],
      [1, 'DeploymentRollbackTemplateUnchanged | The rollback revision contains the same template'],
    ] as const) {
      await rollout.patch({ rollbackTo: { revision } });
      await rollout.untilEvent(event);
      expect((await rollout.deployment()).spec.rollbackTo).toBeUndefined();
    }
    expect(await rollout.expectEnd({ class: className, replicas: 1 })).toEqual(
      rollout.firstMachines,
    );
  });
});
