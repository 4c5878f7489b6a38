/**
 * Gardener's cluster autoscaler as older releases of it write, and in rollouts that stand still.
 */
import { annotations, options } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import {
  autoscalerOf,
  describeScaleDown,
  expectNoReplacement,
  without,
  youngest,
} from '../support/gardener-scale-down.ts';
import { machinesOf } from '../support/machines.ts';
import { className } from '../support/manifests.ts';
import { holdInTheMiddle } from '../support/rollout-nodes.ts';
import { useRollouts, type Rollout } from '../support/rollout-under-test.ts';

const rollouts = useRollouts('gardener-more');
const { cluster } = rollouts.scenario;

describeScaleDown(rollouts, 'names');

describe('the mark and the number apart', () => {
  test('the list comes first: nothing goes before the number, and then the named one', async () => {
    const rollout = await rollouts.begin({ replicas: 3 });
    const [chosen = ''] = await youngest(rollout, 1);
    const time = new Date().toISOString().replace(/\.\d+Z/, 'Z');
    await rollout.annotate({ [annotations.triggerDeletion]: `${chosen}~${time}` });
    await eventually('it is to go first', async () => {
      const { metadata } = await cluster.machine(chosen);
      expect(metadata.annotations?.[annotations.priority]).toBe('1');
    });
    await rollout.expectStandstill();
    expect(rollout.recorder.extremes().minAvailable).toBe(3);
    await autoscalerOf(rollout).decreaseTargetSize(1);
    const left = await rollout.expectEnd({ class: className, replicas: 2 });
    expect(left).toEqual(without(rollout.firstMachines, [chosen]));
    // `expectStandstill` uses a deployment without machines.
    expectNoReplacement(rollout);
  });

  test('the oldest writes priorities first and the number later', async () => {
    const rollout = await rollouts.begin({ replicas: 3 });
    const chosen = await youngest(rollout, 1);
    await autoscalerOf(rollout).markByPriority(chosen);
    await autoscalerOf(rollout).decreaseTargetSize(1);
    const left = await rollout.expectEnd({ class: className, replicas: 2 });
    expect(left).toEqual(without(rollout.firstMachines, chosen));
    expectNoReplacement(rollout);
  });
});

interface Hold {
  hold: string;
  blockedBy: string;
  /** Of which machines the autoscaler chooses one. */
  chosenOf: 'new' | 'old';
  begin(rollout: Rollout): Promise<void>;
}

describe('in a rollout', () => {
  test.each<Hold>([
    {
      hold: 'a pause',
      blockedBy: 'paused',
      chosenOf: 'new',
      begin: (rollout) => rollout.patch({ paused: true }),
    },
    {
      hold: 'OnDelete',
      blockedBy: 'onDelete',
      chosenOf: 'new',
      begin: (rollout) => rollout.annotate({ [options.canary]: null, [options.onDelete]: 'true' }),
    },
    { hold: 'a canary', blockedBy: 'canary', chosenOf: 'old', begin: () => Promise.resolve() },
  ])('that stands still for $hold, the chosen one of the $chosenOf machines goes', async (row) => {
    const rollout = await rollouts.begin({ replicas: 4 });
    await holdInTheMiddle(rollout);
    await row.begin(rollout);
    await rollout.untilFound(`BlockedBy="${row.blockedBy}"`);
    await rollout.untilSettled();
    const before = await namesOf(rollout);
    const fresh = without(before, rollout.firstMachines);
    const [chosen = ''] = row.chosenOf === 'new' ? fresh.toReversed() : without(before, fresh);
    await releaseNodes();
    await autoscalerOf(rollout).deleteNodes([chosen]);
    await eventually('the chosen one is gone', async () => {
      expect(await namesOf(rollout)).toEqual(without(before, [chosen]));
    });
    await rollout.expectStandstill();
    expect(await namesOf(rollout)).toEqual(without(before, [chosen]));
    expectNoReplacement(rollout, 2);
  });
});

async function namesOf({ scenario, name }: Rollout): Promise<string[]> {
  return (await machinesOf(scenario, name)).map(({ metadata }) => metadata.name).toSorted();
}

/** A person takes the protection away, or its flag is off. */
async function releaseNodes(): Promise<void> {
  for (const { metadata } of await cluster.nodes()) {
    const notes = {
      [annotations.scaleDownDisabled]: null,
      [annotations.scaleDownDisabledByUs]: null,
    };
    await cluster.target.patch(`/api/v1/nodes/${metadata.name}`, 'merge', {
      metadata: { annotations: notes },
    });
  }
}
