/** Nodes in a rollout: old ones are avoided by new pods, and the cluster autoscaler leaves all of them alone. */
import { describe, expect, test } from '@jest/globals';
import { annotations, options, taints } from '../../workflows/api/constants.ts';
import type { NodeObject } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { className } from './support/manifests.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout.ts';

interface Marks {
  /** Nodes with the taint. */
  avoided: string[];
  /** Nodes that the autoscaler leaves alone, and which say that this was our doing. */
  kept: string[];
}

function marksOf(nodes: readonly NodeObject[]): Marks {
  return { avoided: namesOf(nodes.filter(isAvoided)), kept: namesOf(nodes.filter(isKept)) };
}

function namesOf(nodes: readonly NodeObject[]): string[] {
  return nodes.map(({ metadata }) => metadata.name).toSorted();
}

function isAvoided({ spec }: NodeObject): boolean {
  const found = spec?.taints?.find(({ key }) => key === taints.preferNoSchedule);
  return found?.effect === 'PreferNoSchedule';
}

function isKept({ metadata: { annotations: notes = {} } }: NodeObject): boolean {
  const values = [notes[annotations.scaleDownDisabled], notes[annotations.scaleDownDisabledByUs]];
  // Never one without the other.
  expect(values[0]).toBe(values[1]);
  return values[0] === 'true';
}

async function untilMarks({ scenario }: Rollout, marks: (all: string[]) => Marks): Promise<void> {
  await eventually('Nodes are marked as the rollout wants them', async () => {
    const nodes = await scenario.cluster.nodes();
    expect(marksOf(nodes)).toEqual(marks(namesOf(nodes)));
  });
}

const none = (): Marks => ({ avoided: [], kept: [] });

function oldOf(rollout: Rollout, all: readonly string[]): string[] {
  return all.filter((name) => rollout.firstMachines.includes(name));
}

/** Holds after the first two new machines. */
async function holdInTheMiddle(rollout: Rollout): Promise<void> {
  await rollout.annotate({ [options.canary]: '2' });
  await rollout.changeClass(secondClass);
  await rollout.untilFound('BlockedBy="canary"');
  await rollout.untilSettled();
  expect(rollout.sizes).toEqual({ old: 2, new: 2 });
}

describe('Nodes', () => {
  const rollouts = useRollouts('nodes');

  test('are marked during a rollout, and not afterwards', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await untilMarks(rollout, none);
    await holdInTheMiddle(rollout);
    await untilMarks(rollout, (all) => ({ avoided: oldOf(rollout, all), kept: all }));
    await rollout.signal('resume', {});
    expect(await rollout.expectEnd({ class: secondClass, replicas: 4 })).toHaveLength(4);
    await untilMarks(rollout, none);
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 4 });
  });

  test('are marked the other way round during a rollback, and not afterwards', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await holdInTheMiddle(rollout);
    await untilMarks(rollout, (all) => ({ avoided: oldOf(rollout, all), kept: all }));
    // What comes now never joins, so that the rollback can be looked at.
    await rollout.scenario.cloud.addFault({ kind: 'neverJoin' });
    await rollout.patch({ rollbackTo: { revision: 1 } });
    await untilMarks(rollout, (all) => ({
      avoided: all.filter((name) => !rollout.firstMachines.includes(name)),
      kept: all,
    }));
    await rollout.scenario.cloud.clearFaults();
    // The machine that never joins is taken away by hand.
    for (const [name, phase] of Object.entries(await rollout.scenario.cluster.phases())) {
      const path = rollout.scenario.cluster.pathOf('machines', name);
      if (phase !== 'Running') await rollout.scenario.cluster.delete(path);
    }
    expect(await rollout.expectEnd({ class: className, replicas: 4 })).toHaveLength(4);
    await untilMarks(rollout, none);
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 4 });
  });
});

describe('Nodes without --autoscaler-scaledown-annotation-during-rollout', () => {
  const workerFlags = ['--autoscaler-scaledown-annotation-during-rollout=false'];
  const rollouts = useRollouts('unkept', { workerFlags });

  test('are not kept from the cluster autoscaler, but avoided', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await holdInTheMiddle(rollout);
    await untilMarks(rollout, (all) => ({ avoided: oldOf(rollout, all), kept: [] }));
    await rollout.signal('resume', {});
    expect(await rollout.expectEnd({ class: secondClass, replicas: 4 })).toHaveLength(4);
    await untilMarks(rollout, none);
  });
});

describe('the cluster autoscaler', () => {
  const rollouts = useRollouts('autoscaler');
  const { cluster } = rollouts.scenario;

  test('names the machines that go when it lowers the number', async () => {
    const rollout = await rollouts.begin({ replicas: 5 });
    const time = new Date().toISOString().replace(/\.\d+Z/, 'Z');
    const [first = '', second = '', third = '', ...others] = rollout.firstMachines;
    const trigger = (names: string[]): object => ({
      [annotations.triggerDeletion]: names.map((name) => `${name}~${time}`).join(),
      [annotations.lastScaledByAutoscaler]: time,
    });
    const scaleDown = async (names: string[], replicas: number): Promise<void> => {
      const patch = { metadata: { annotations: trigger(names) }, spec: { replicas } };
      await cluster.patch('machinedeployments', rollout.name, patch);
    };
    await scaleDown([second], 4);
    expect(await rollout.expectEnd({ class: className, replicas: 4 })).toEqual(
      [first, third, ...others].toSorted(),
    );
    await scaleDown([first, third, 'nobody'], 2);
    expect(await rollout.expectEnd({ class: className, replicas: 2 })).toEqual(others);
    await eventually('nothing is named any more', async () => {
      const { metadata } = await rollout.deployment();
      expect(metadata.annotations).not.toHaveProperty([annotations.triggerDeletion]);
    });
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 2 });
    expect(rollout.recorder.machineNames.size).toBe(5);
  });
});
