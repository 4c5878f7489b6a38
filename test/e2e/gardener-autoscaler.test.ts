/** Gardener's cluster autoscaler lowers and raises the number, and names the machines that go. */
import { afterEach, describe, expect, test } from 'vitest';
import { annotations, options } from '../../workflows/api/constants.ts';
import { eventually } from './support/eventually.ts';
import {
  controllerDeployment,
  GardenerAutoscaler,
  type ListStyle,
} from './support/gardener-autoscaler.ts';
import { holdInTheMiddle } from './support/rollout-nodes.ts';
import { machinesOf } from './support/machines.ts';
import { className } from './support/manifests.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout-under-test.ts';
import { untilCondition } from './support/rollouts.ts';
import { Workloads } from './support/workloads.ts';

const rollouts = useRollouts('gardener');
const { cluster, cloud, workflows, namespace } = rollouts.scenario;
const workloads = new Workloads(rollouts.scenario);
/** Of the Nodes of all pools. */
const tolerates = 'dedicated';

// Before the machines: a test that failed must not leave what blocks their drains.
afterEach(async () => {
  await cluster.delete(workloads.budgets());
  await cluster.delete(`/apis/apps/v1/namespaces/${namespace}/deployments`);
});

const autoscalerOf = ({ scenario, name }: Rollout, style?: ListStyle): GardenerAutoscaler =>
  new GardenerAutoscaler(scenario, name, style);

/** Those that a scale-down would take last, so that only a mark takes them. */
async function youngest({ scenario, name }: Rollout, count: number): Promise<string[]> {
  const machines = await machinesOf(scenario, name);
  const keyOf = ({ metadata }: (typeof machines)[number]): string =>
    `${metadata.creationTimestamp} ${metadata.name}`;
  const order = machines.toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  return order.slice(0, count).map(({ metadata }) => metadata.name);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

const without = (names: readonly string[], gone: readonly string[]): string[] =>
  names.filter((name) => !gone.includes(name)).toSorted();

/** No machine was ever made beside those with which the test began. */
function expectNoReplacement({ recorder, firstMachines }: Rollout, made = 0): void {
  expect(recorder.machineNames.size).toBe(firstMachines.length + made);
}

describe('scaling up', () => {
  test('is written again after a conflict', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    const autoscaler = autoscalerOf(rollout);
    autoscaler.meanwhile = () => rollout.annotate({ 'example.com/touched': 'yes' });
    await autoscaler.increaseSize(2);
    expect(autoscaler.conflicts).toBe(1);
    expect(await autoscaler.targetSize()).toBe(3);
    await rollout.expectEnd({ class: className, replicas: 3 });
    expect((await autoscaler.nodes()).map(({ state }) => state)).toEqual(
      Array.from({ length: 3 }, () => 'running'),
    );
  });

  test('backs off when the cloud is out of resources, and takes the request back', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    const autoscaler = autoscalerOf(rollout);
    await cloud.addFault({ kind: 'quota' });
    await autoscaler.increaseSize(1);
    const requested = await eventually('the request is told to be out of resources', async () => {
      const instance = (await autoscaler.nodes()).find(({ id }) => id.startsWith('requested://'));
      expect(instance).toMatchObject({ state: 'creating' });
      expect(instance?.outOfResources).toContain('ResourceExhausted');
      return instance?.id.replace('requested://', '') ?? '';
    });
    // A machine that waits for its retry is no Failed one, so it may be named; and this deployment
    // is under way, which the autoscaler does not ask for before it gives a request back.
    const machine = await cluster.machine(requested);
    expect(machine.status?.currentStatus?.phase).toBe('CrashLoopBackOff');
    await autoscaler.giveBack([requested]);
    expect(await rollout.expectEnd({ class: className, replicas: 1 })).toEqual(
      rollout.firstMachines,
    );
    await cloud.clearFaults();
    expectNoReplacement(rollout, 1);
  });
});

describe.each<ListStyle>(['timed', 'names'])('scaling down with a list of %s', (style) => {
  test('takes exactly the named machines, however often it is asked', async () => {
    const rollout = await rollouts.begin({ replicas: 5 });
    const autoscaler = autoscalerOf(rollout, style);
    const chosen = await youngest(rollout, 2);
    autoscaler.meanwhile = () => rollout.annotate({ 'example.com/touched': 'yes' });
    await autoscaler.deleteNodes(chosen);
    expect(autoscaler.conflicts).toBe(1);
    // What it named already is not counted once more.
    const answer = await autoscaler.deleteNodes(chosen).then(() => 'done', messageOf);
    expect(answer).toMatch(/^done$|ErrNoNodesToDelete|NotFound|under rolling update/);
    const left = await rollout.expectEnd({ class: className, replicas: 3 });
    expect(left).toEqual(without(rollout.firstMachines, chosen));
    expectNoReplacement(rollout);
    await eventually('nothing is named any more', async () => {
      const { metadata } = await rollout.deployment();
      expect(metadata.annotations).not.toHaveProperty([annotations.triggerDeletion]);
    });
  });

  test('loses the named one when somebody else scales in the same second', async () => {
    const rollout = await rollouts.begin({ replicas: 4 });
    const autoscaler = autoscalerOf(rollout, style);
    const [chosen = ''] = await youngest(rollout, 1);
    const other = autoscaler.deleteNodes([chosen]).then(() => cluster.scale(rollout.name, 2));
    await other;
    const left = await rollout.expectEnd({ class: className, replicas: 2 });
    expect(left).not.toContain(chosen);
    expectNoReplacement(rollout);
  });

  test('makes no machine in place of one whose drain is blocked, but for a changed mind', async () => {
    const rollout = await rollouts.begin({ replicas: 3 });
    const autoscaler = autoscalerOf(rollout, style);
    const [chosen = ''] = await youngest(rollout, 1);
    await workloads.start({ app: `keep-${style}`, nodeName: chosen, tolerates });
    await workloads.guard(`keep-${style}`, { app: `keep-${style}`, minAvailable: 1 });
    await autoscaler.deleteNodes([chosen]);
    await eventually('its Node is cordoned, and its drain is blocked', async () => {
      const node = (await cluster.nodes()).find(({ metadata }) => metadata.name === chosen);
      expect(node?.spec?.unschedulable).toBe(true);
      const found = await workflows.running('State="DrainBlocked"');
      expect(found).toContain(`machine/${namespace}/${chosen}`);
    });
    await rollout.recorder.markWhen('two machines are left', ({ active }) => active === 2);
    expectNoReplacement(rollout);
    // It changes its mind: a pod is pending again.
    await autoscaler.increaseSize(1);
    await rollout.recorder.markWhen('another came', ({ available }) => available === 3);
    expectNoReplacement(rollout, 1);
    await cluster.delete(workloads.budgets(`keep-${style}`));
    await workloads.end(`keep-${style}`);
    const left = await rollout.expectEnd({ class: className, replicas: 3 });
    expect(left).not.toContain(chosen);
    expectNoReplacement(rollout, 1);
  });
});

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

describe('in a rollout', () => {
  test('it scales up, refuses to scale down, and finds the Nodes kept', async () => {
    const rollout = await rollouts.begin({ replicas: 2 });
    const autoscaler = autoscalerOf(rollout);
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass);
    await untilCondition(rollout.scenario, rollout.name, { reason: 'MachineSetUpdated' });
    const refusal = `MachineDeployment ${rollout.name} is under rolling update`;
    await expect(autoscaler.decreaseTargetSize(1)).rejects.toThrow(refusal);
    await expect(autoscaler.deleteNodes(rollout.firstMachines)).rejects.toThrow(refusal);
    await eventually('its Nodes are kept', async () => {
      const notes = (await cluster.nodes()).map(({ metadata }) => metadata.annotations ?? {});
      expect(notes.map((all) => all[annotations.scaleDownDisabled])).toEqual(['true', 'true']);
    });
    await autoscaler.increaseSize(1);
    await rollout.recorder.markWhen('the surge is filled', ({ total }) => total === 4);
    await cloud.clearFaults();
    for (const { metadata } of await machinesOf(rollout.scenario, rollout.name)) {
      if (rollout.firstMachines.includes(metadata.name)) continue;
      await cluster.delete(cluster.pathOf('machines', metadata.name));
    }
    await rollout.expectEnd({ class: secondClass, replicas: 3 });
    // The two that were deleted here count until they are gone.
    rollout.recorder.expectBounds({ maxTotal: 4 + 2, minAvailable: 2 });
  });

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

interface Hold {
  hold: string;
  blockedBy: string;
  /** Of which machines the autoscaler chooses one. */
  chosenOf: 'new' | 'old';
  begin(rollout: Rollout): Promise<void>;
}

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

test('it stands still until the Deployment that it looks for is available', async () => {
  const rollout = await rollouts.begin({ replicas: 1 });
  const autoscaler = autoscalerOf(rollout);
  await expect(autoscaler.refresh()).rejects.toThrow('machine-controller-manager is offline');
  const [nodeName = ''] = rollout.firstMachines;
  await workloads.start({ app: controllerDeployment, nodeName, tolerates });
  await eventually('the autoscaler works', () => autoscaler.refresh());
  await workloads.end(controllerDeployment);
});
