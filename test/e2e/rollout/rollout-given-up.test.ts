/**
 * A rollout with automatic rollback whose machines never join: it goes back by itself, until
 * somebody wants something else.
 */
import { options } from '../../../workflows/api/constants.ts';
import {
  secondClass,
  thirdClass,
  useRollouts,
  type Rollout,
  type Rollouts,
} from '../support/rollout-under-test.ts';
import { untilCondition } from '../support/rollouts.ts';

const replicas = 4;

/**
 * The rollout has been given up, and the first set has all machines again. Returns the set that was
 * given up.
 */
async function giveUp(rollouts: Rollouts): Promise<{ rollout: Rollout; failed: string }> {
  const { cloud } = rollouts.scenario;
  const rollout = await rollouts.begin({
    replicas,
    maxSurge: 1,
    maxUnavailable: 1,
    // On a busy machine an old machine is gone within it, and a new one has joined.
    progressDeadlineSeconds: 20,
  });
  await rollout.annotate({ [options.autoRollback]: 'true' });
  await cloud.addFault({ kind: 'neverJoin' });
  await rollout.changeClass(secondClass);
  await rollout.recorder.markWhen('an old machine is missing', ({ sets, total }) => {
    return total === 5 && sets[rollout.firstSet]?.total === 3;
  });
  // What is made from now on joins: the old set can have its machines back.
  await cloud.clearFaults();
  const failed = (await rollout.revisions()).at(-1)?.set ?? '';
  await rollout.untilEvent(
    `AutomaticRollback | MachineSet ${failed} made no progress within the deadline: back to ${rollout.firstSet}`,
  );
  await rollout.recorder.markWhen('all machines are old', ({ sets, total }) => {
    return total === replicas && sets[rollout.firstSet]?.available === replicas;
  });
  return { rollout, failed };
}

describe('a rollout that was given up', () => {
  const rollouts = useRollouts('givenup');
  const { scenario } = rollouts;

  test('holds on the set before until the template changes', async () => {
    const { rollout, failed } = await giveUp(rollouts);
    await rollout.untilFound(`State="Blocked" and BlockedBy="MachineSet/${failed}"`);
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 4, new: 0 });
    const { metadata, spec } = await rollout.deployment();
    expect(spec.template.spec?.class?.name).toBe(secondClass);
    expect(metadata.annotations?.[options.rolledBackFrom]).toBe(failed);
    const overdue = { status: 'False', reason: 'ProgressDeadlineExceeded' };
    expect(await untilCondition(scenario, rollout.name, overdue)).toContain(
      `rolled back to "${rollout.firstSet}" until the template changes`,
    );
    await rollout.changeClass(thirdClass);
    await rollout.expectEnd({ class: thirdClass, replicas });
    expect((await rollout.deployment()).metadata.annotations).not.toHaveProperty([
      options.rolledBackFrom,
    ]);
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 3 });
  });

  test('is tried again when somebody takes the annotation away that says so', async () => {
    const { rollout, failed } = await giveUp(rollouts);
    await rollout.untilFound(`State="Blocked" and BlockedBy="MachineSet/${failed}"`);
    await rollout.annotate({ [options.rolledBackFrom]: null });
    expect(await rollout.expectEnd({ class: secondClass, replicas })).toHaveLength(replicas);
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 3 });
  });
});
