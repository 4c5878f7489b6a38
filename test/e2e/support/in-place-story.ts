/**
 * One update in place of a pool of three, which MCM and Millwright both are led through: the first
 * Node's drain is blocked for a while, the update of the second fails at first, and that of the
 * third gets no answer until its timeout is over. This plays the agent on the Nodes.
 */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import type { InPlaceReason, UpdateResult } from '../../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../../workflows/contracts/in-place-node.ts';
import { eventually } from '../../support/eventually.ts';
import type { NodeObject } from './cluster.ts';
import { createDeployment, machinesOf, untilPhase, untilRunning } from './machines.ts';
import type { Scenario } from './scenario.ts';
import { Workloads } from './workloads.ts';

export const replicas = 3;
const app = 'web';
export const failedReason = 'unit kubelet.service does not start';

/** Of the template that the pool is updated to; that of the scenario is `small`. */
export const nextClass = 'medium';

/** Starts a pool whose machines all run. Returns its name. */
export async function createInPlacePool(scenario: Scenario): Promise<string> {
  const { namespace, name } = scenario.named('pool');
  const pool = await createDeployment(scenario, 'pool', {
    replicas,
    strategy: {
      type: 'InPlaceUpdate',
      inPlaceUpdate: { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Auto' },
    },
    template: {
      metadata: { labels: { name } },
      spec: {
        class: { kind: 'MachineClass', name: 'small' },
        inPlaceUpdateTimeout: '20s',
        nodeTemplate: { metadata: { labels: { pool: namespace } } },
      },
    },
  });
  await untilRunning(scenario, pool, replicas);
  return pool;
}

export async function changeClass({ cluster }: Scenario, pool: string): Promise<void> {
  const spec = { template: { spec: { class: { kind: 'MachineClass', name: nextClass } } } };
  await cluster.patch('machinedeployments', pool, { spec });
}

/** From the change of the template to the end. */
export async function tellInPlaceStory(scenario: Scenario, pool: string): Promise<void> {
  const unblock = await blockDrains(scenario, pool);
  await changeClass(scenario, pool);

  const first = await untilDrainIsRefused(scenario);
  await unblock();
  expect(await untilNodeIs(scenario, 'ReadyForUpdate')).toBe(first);
  await answer(scenario, first, 'successful');

  const second = await untilNodeIs(scenario, 'ReadyForUpdate', [first]);
  await answer(scenario, second, 'failed');
  await untilNodeIs(scenario, 'UpdateFailed');
  await untilPhase(scenario, second, 'InPlaceUpdateFailed');
  await answer(scenario, second, 'successful');

  const third = await untilNodeIs(scenario, 'ReadyForUpdate', [first, second]);
  await untilPhase(scenario, third, 'InPlaceUpdateFailed');
  await answer(scenario, third, 'successful');
  await eventually('all machines are updated', () => expectUpdated(scenario, pool));
}

/** A pod on each Node, none of which may be evicted. Returns what allows it. */
export async function blockDrains(scenario: Scenario, pool: string): Promise<() => Promise<void>> {
  const workloads = new Workloads(scenario);
  for (const { metadata } of await machinesOf(scenario, pool)) {
    await workloads.startAlone({ app, nodeName: metadata.name });
  }
  await workloads.guard(app, { app, minAvailable: replicas });
  return () => scenario.cluster.delete(workloads.budgets(app));
}

/** Returns the Node that is drained. */
export async function untilDrainIsRefused(scenario: Scenario): Promise<string> {
  const node = await untilNodeIs(scenario, 'SelectedForUpdate');
  await eventually(`the drain of ${node} is refused`, async () => {
    const { status } = await scenario.cluster.machine(node);
    expect(status?.lastOperation).toMatchObject({ type: 'DrainNode' });
  });
  return node;
}

/** Answers for every Node that is ready, until the pool is updated. */
export async function answerForAll(scenario: Scenario, pool: string): Promise<void> {
  await eventually('all machines are updated', async () => {
    for (const node of await scenario.cluster.nodes()) {
      const { reason, result } = inPlaceNodeOf(node) ?? {};
      const isAsked = reason === 'ReadyForUpdate' || reason === 'UpdateFailed';
      if (isAsked && result !== 'successful') {
        await answer(scenario, node.metadata.name, 'successful');
      }
    }
    await expectUpdated(scenario, pool);
  });
}

/** As the agent says it. */
export async function answer(
  { cluster }: Scenario,
  node: string,
  result: UpdateResult,
): Promise<void> {
  await cluster.target.patch(nodePath(node), 'merge', {
    metadata: {
      labels: { [labels.updateResult]: result },
      annotations: { [annotations.updateFailedReason]: result === 'failed' ? failedReason : null },
    },
  });
}

/** Waits for a Node with the reason that is none of the others. Returns its name. */
export async function untilNodeIs(
  { cluster }: Scenario,
  reason: InPlaceReason,
  others: readonly string[] = [],
): Promise<string> {
  return await eventually(`a Node is ${reason}`, async () => {
    const nodes = (await cluster.nodes()).filter(({ metadata }) => !others.includes(metadata.name));
    const found = nodes.find((node) => inPlaceNodeOf(node)?.reason === reason);
    expect(nodes.map(wordsOf)).toContainEqual(expect.stringContaining(reason));
    return found?.metadata.name ?? false;
  });
}

const wordsOf = (node: NodeObject): string =>
  `${node.metadata.name}: ${inPlaceNodeOf(node)?.reason ?? 'no reason'}`;

/** Nothing of an update is left on any Node or Machine. */
async function expectUpdated(scenario: Scenario, pool: string): Promise<void> {
  const { cluster } = scenario;
  const { status } = await cluster.deployment(pool);
  expect(status).toMatchObject({ updatedReplicas: replicas, availableReplicas: replicas });
  const sets = await cluster.sets();
  const sizes = sets.map(({ spec }) => spec.replicas ?? 0);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([0, replicas]);
  const machines = await cluster.machines();
  expect(
    machines.map(({ metadata, status: { currentStatus } = {} }) => ({
      phase: currentStatus?.phase,
      label: metadata.labels?.[labels.updateResult],
    })),
  ).toEqual(machines.map(() => ({ phase: 'Running', label: undefined })));
  for (const node of await cluster.nodes()) {
    const { reason, isCandidate, isSelected, result } = inPlaceNodeOf(node) ?? {};
    expect({ reason, isCandidate, isSelected, result }).toEqual({ reason: 'UpdateSuccessful' });
    expect(node.spec?.unschedulable).toBeUndefined();
    expect(node.metadata.annotations).not.toHaveProperty([annotations.scaleDownDisabled]);
  }
}
