import { KubeError } from '../../../../kube/client/errors.ts';
import { customResource, namespaced, node as nodePath } from '../../../../kube/client/paths.ts';
import type { Node } from '../../../../kube/objects/nodes.ts';
import { timestamp } from '../../../../kube/objects/time.ts';
import { updateInPlace } from '../../../../activities/machine/in-place/update.ts';
import { retryUpdate } from '../../../../activities/machine/in-place/retry.ts';
import { giveUp } from '../../../../activities/machine/in-place/failed.ts';
import type { Pause } from '../../../../workflows/values/pauses.ts';
import { annotations, labels, options } from '../../../../workflows/api/constants.ts';
import { inPlaceUpdate, type InPlaceReason } from '../../../../workflows/api/in-place.ts';
import type { Machine, MachineSpec } from '../../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aNode,
  controlledBy,
  namespace,
} from '../../../support/builders.ts';
import { aWorld, lifeOf } from '../../../support/world.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const machinePath = customResource('machines', namespace, 'pool-a');
const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const well = { type: 'Ready', status: 'True' } as const;

interface Given {
  phase?: MachinePhase;
  reason?: InPlaceReason;
  /** Labels `candidate-for-update` and `selected-for-update`. */
  marks?: string;
  result?: string;
  why?: string;
  isCordoned?: boolean;
  /** Since the last change of the phase. */
  seconds?: number;
  spec?: MachineSpec;
}

function machineOf({ phase = 'Running', seconds = 0, spec = {} }: Given): Machine {
  const machine = aMachine({ metadata: { labels: { node: 'pool-a' } } });
  return {
    ...machine,
    spec: { ...machine.spec, ...spec, providerID: instance.providerID },
    status: {
      conditions: [well],
      currentStatus: { phase, lastUpdateTime: timestamp(now - seconds * 1_000) },
    },
  };
}

function nodeOf({ reason, marks = 'cs', result, why, isCordoned = false }: Given): Node {
  const condition = { type: inPlaceUpdate, status: 'True', reason: reason ?? '' } as const;
  const lastTransitionTime = timestamp(now - 5_000);
  return aNode({
    metadata: {
      labels: {
        [labels.machineName]: 'pool-a',
        ...(marks.includes('c') && { [labels.candidateForUpdate]: 'true' }),
        ...(marks.includes('s') && { [labels.selectedForUpdate]: 'true' }),
        ...(result !== undefined && { [labels.updateResult]: result }),
      },
      ...(why !== undefined && { annotations: { [annotations.updateFailedReason]: why } }),
    },
    spec: {
      providerID: instance.providerID,
      ...(isCordoned && {
        unschedulable: true,
        taints: [{ key: 'mine', effect: 'NoExecute' }, cordon],
      }),
    },
    status: { conditions: [well, ...(reason ? [{ ...condition, lastTransitionTime }] : [])] },
  });
}

function worldOf(given: Given, changes: Parameters<typeof aWorld>[0] = {}) {
  return aWorld({ control: [machineOf(given)], target: [nodeOf(given)], ...changes });
}

async function step(world: ReturnType<typeof aWorld>, isDrained = false) {
  const request = { machine: lifeOf('pool-a'), instance, isDrained, now };
  const outcome = await updateInPlace(world, request);
  const { status } = await world.control.read<Machine>(machinePath);
  const node = await world.target.read<Node>(nodePath('pool-a'));
  const condition = node.status?.conditions?.find(({ type }) => type === inPlaceUpdate);
  return { outcome, status, node, condition };
}

async function reasonsIn({ control }: ReturnType<typeof aWorld>): Promise<string[]> {
  const { items } = await control.list<{ reason: string }>(namespaced('events', namespace));
  return items.map(({ reason }) => reason);
}

const touched = ({ control, target }: ReturnType<typeof aWorld>) =>
  [...control.writes(), ...target.writes()].filter((call) => !call.includes('/events'));

test.each<{ given: Given; isDrained?: boolean; reason: string; message: string }>([
  { given: {}, reason: 'CandidateForUpdate', message: 'Node is a candidate for in-place update' },
  {
    given: { reason: 'CandidateForUpdate' },
    reason: 'SelectedForUpdate',
    message: 'Node is selected for in-place update',
  },
  {
    given: { phase: 'InPlaceUpdating', reason: 'DrainSuccessful' },
    reason: 'ReadyForUpdate',
    message: 'Node is ready for in-place update',
  },
  {
    given: { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate', result: 'failed', why: 'no disk' },
    reason: 'UpdateFailed',
    message: 'Node in-place update failed: no disk',
  },
])('$given.reason -> $reason is one write, with a time of its own', async (row) => {
  const world = worldOf(row.given);
  const { condition, outcome, node } = await step(world, row.isDrained);
  expect(condition).toMatchObject({ status: 'True', reason: row.reason, message: row.message });
  expect(condition?.lastTransitionTime).not.toBe(timestamp(now - 5_000));
  expect(node.status?.conditions).toContainEqual(expect.objectContaining(well));
  expect(outcome).toMatchObject({ found: 'machine', node: { inPlace: { reason: row.reason } } });
  expect(touched(world)).toEqual(['PATCH /api/v1/nodes/pool-a/status']);
});

test.each<{ given: Given; isDrained?: boolean; phase: MachinePhase; says: string; state: string }>([
  {
    given: { reason: 'SelectedForUpdate' },
    isDrained: true,
    phase: 'InPlaceUpdating',
    says: 'Machine pool-a is undergoing an in-place update',
    state: 'Processing',
  },
  {
    given: { phase: 'InPlaceUpdating', reason: 'UpdateSuccessful', result: 'successful' },
    phase: 'InPlaceUpdateSuccessful',
    says: 'Machine pool-a successfully updated dependencies',
    state: 'Successful',
  },
  {
    given: { phase: 'InPlaceUpdating', reason: 'UpdateFailed', result: 'failed', why: 'no disk' },
    phase: 'InPlaceUpdateFailed',
    says: 'Machine pool-a failed to update dependencies: no disk',
    state: 'Failed',
  },
  {
    given: { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate', seconds: 1_200 },
    phase: 'InPlaceUpdateFailed',
    says: 'Machine pool-a failed to in-place update in 20m0s.',
    state: 'Failed',
  },
  {
    given: {
      phase: 'InPlaceUpdating',
      reason: 'ReadyForUpdate',
      seconds: 60,
      spec: { inPlaceUpdateTimeout: '1m' },
    },
    phase: 'InPlaceUpdateFailed',
    says: 'Machine pool-a failed to in-place update in 1m0s.',
    state: 'Failed',
  },
])('$given.reason of a machine that is $given.phase: $says', async (row) => {
  const world = worldOf(row.given);
  const { status, outcome, condition } = await step(world, row.isDrained);
  expect(status?.currentStatus?.phase).toBe(row.phase);
  expect(status?.lastOperation).toMatchObject({
    description: row.says,
    state: row.state,
    type: 'InPlaceUpdate',
  });
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: inPlaceUpdate }));
  expect(condition?.reason).toBe(row.given.reason);
  expect(outcome).toMatchObject({ phase: row.phase });
  expect(await reasonsIn(world)).toEqual([row.phase]);
  expect(touched(world)).toEqual([`PATCH ${machinePath}/status`]);
});

describe('the time of a phase', () => {
  const updating: Given = { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate', seconds: 1_200 };
  const failed: Given = {
    phase: 'InPlaceUpdateFailed',
    reason: 'UpdateFailed',
    result: 'failed',
    seconds: 600,
  };

  test('ends when it says, and nothing is written before', async () => {
    const world = worldOf({ ...updating, seconds: 1_199 });
    const { outcome } = await step(world);
    expect(outcome).toMatchObject({ phase: 'InPlaceUpdating', deadline: now + 1_000 });
    expect(touched(world)).toEqual([]);
  });

  test.each([
    ['InPlaceUpdating', updating],
    ['InPlaceUpdateFailed', failed],
  ])('of a machine that is %s moves by pauses', async (phase, given) => {
    const pause: Pause = { from: now - 500_000, until: now - 400_000, reason: 'watcher' };
    const { outcome } = await step(worldOf(given, { pauses: () => [pause] }));
    expect(outcome).toMatchObject({ phase, deadline: now + 100_000 });
  });

  test('that failed ends with a Failed machine, which its Node does not bring back', async () => {
    const world = worldOf(failed);
    const { status } = await step(world);
    expect(status).toMatchObject({
      currentStatus: { phase: 'Failed' },
      lastOperation: {
        description: expect.stringMatching(
          /^Machine pool-a health checks failing since last 10m0s\. Updating machine phase to Failed\./,
        ),
        state: 'Failed',
        type: 'InPlaceUpdate',
      },
    });
    expect(await reasonsIn(world)).toEqual(['HealthTimeout']);
  });

  test('without a health timeout it has no end', async () => {
    const world = worldOf({ ...failed, spec: { disableHealthTimeout: true } });
    const { outcome } = await step(world);
    expect(outcome).toMatchObject({ phase: 'InPlaceUpdateFailed' });
    expect(outcome).not.toHaveProperty('deadline');
    expect(touched(world)).toEqual([]);
  });

  test('a stop holds it, and it is looked at again', async () => {
    const stop = { current: () => ({ uid: 's', reason: 'wrong disks', since: now }) };
    const { outcome, status } = await step(worldOf(failed, { stop }));
    expect(status?.currentStatus?.phase).toBe('InPlaceUpdateFailed');
    expect(outcome).toMatchObject({ hold: expect.stringContaining('wrong disks') });
    const { deadline = 0 } = outcome.found === 'machine' ? outcome : {};
    expect(deadline).toBeGreaterThan(now + 30_000);
  });

  test.each([
    ['stop', 'InPlaceUpdateFailed', /in-place-failure of its MachineDeployment is not "replace"/],
    ['replace', 'Failed', /^none$/],
  ])('a deployment that says %s makes it %s', async (word, phase, hold) => {
    const deployment = aMachineDeployment({
      metadata: {
        name: 'pool',
        uid: 'uid-of-pool',
        annotations: { [options.inPlaceFailure]: word },
      },
      spec: { replicas: 2 },
    });
    const set = aMachineSet({
      metadata: { name: 'pool-1', ownerReferences: controlledBy(deployment) },
      spec: { replicas: 2 },
    });
    const owned = (name: string): Machine => {
      const machine = machineOf(failed);
      const ownerReferences = controlledBy(set);
      const metadata = { ...machine.metadata, name, uid: `uid-of-${name}`, ownerReferences };
      return { ...machine, metadata };
    };
    // Neither waits for the other.
    const control = [deployment, set, owned('pool-a'), owned('pool-b')];
    const { status, outcome } = await step(worldOf(failed, { control }));
    expect(status?.currentStatus?.phase).toBe(phase);
    expect('hold' in outcome ? outcome.hold : 'none').toMatch(hold);
  });
});

describe('labels that were taken back', () => {
  const mine = { key: 'mine', effect: 'NoExecute' };

  test.each<[marks: string, reason: string | undefined]>([
    ['c', 'CandidateForUpdate'],
    ['', undefined],
  ])('with %j left the Node is uncordoned and says %s', async (marks, reason) => {
    const world = worldOf({ reason: 'SelectedForUpdate', marks, isCordoned: true });
    const { node, condition } = await step(world);
    expect(node.spec).toEqual({ providerID: instance.providerID, taints: [mine] });
    expect(condition?.reason).toBe(reason);
    expect(node.status?.conditions).toContainEqual(expect.objectContaining(well));
    expect(touched(world)).toEqual([
      'PATCH /api/v1/nodes/pool-a',
      'PATCH /api/v1/nodes/pool-a/status',
    ]);
  });
});

describe('a step that cannot be done', () => {
  test('answers that an API server is out of reach', async () => {
    const world = worldOf({});
    const failure = {
      code: 0,
      reason: 'Unreachable',
      message: 'no answer',
      method: 'GET',
      path: '',
    };
    world.target.get = async () => await Promise.reject(new KubeError(failure));
    const request = { machine: lifeOf('pool-a'), instance, isDrained: false, now };
    expect(await updateInPlace(world, request)).toMatchObject({ found: 'outOfReach' });
  });

  test('answers that a write is refused, and says so', async () => {
    const world = worldOf({});
    const denied = { code: 403, reason: 'Forbidden', message: 'denied' };
    world.target.fault = ({ method }) => (method === 'PATCH' ? denied : undefined);
    const { outcome } = await step(world);
    expect(outcome).toMatchObject({ found: 'refused' });
    expect(await reasonsIn(world)).toEqual(['FailedUpdate']);
  });

  test.each<[string, object]>([
    ['is deleted', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] }],
    ['is of another machine', { labels: { [labels.machineName]: 'pool-b' } }],
  ])('leaves a Node alone that %s', async (_what, metadata) => {
    const node = nodeOf({});
    const { [labels.machineName]: _mine, ...marks } = node.metadata.labels ?? {};
    const changed = { ...node.metadata, labels: marks, ...metadata };
    const rival = aMachine({ metadata: { name: 'pool-b', labels: { node: 'pool-a' } } });
    const control = [machineOf({}), rival];
    const world = worldOf({}, { control, target: [{ ...node, metadata: changed }] });
    const { outcome } = await step(world);
    expect(outcome).toEqual({ found: 'nothing' });
    expect(touched(world)).toEqual([]);
  });
});

describe('a person', () => {
  const failed: Given = { phase: 'InPlaceUpdateFailed', reason: 'UpdateFailed', why: 'no disk' };
  const target = { machine: lifeOf('pool-a'), instance };

  test('has it tried again: from its result on, however often', async () => {
    const world = worldOf({ ...failed, result: 'failed', isCordoned: true });
    await retryUpdate(world, target);
    await retryUpdate(world, target);
    const { node, status, condition } = await step(world);
    expect(node.metadata.labels).not.toHaveProperty([labels.updateResult]);
    expect(node.metadata.annotations ?? {}).toEqual({});
    expect(node.spec?.unschedulable).toBe(true);
    expect(status?.currentStatus?.phase).toBe('InPlaceUpdating');
    expect(condition?.reason).toBe('ReadyForUpdate');
  });

  test('has one tried again that did not answer in time', async () => {
    const world = worldOf({ phase: 'InPlaceUpdateFailed', reason: 'ReadyForUpdate' });
    await retryUpdate(world, target);
    expect(touched(world)).toEqual([`PATCH ${machinePath}/status`]);
  });

  test.each<[string, Given]>([
    ['was successful after all', { ...failed, result: 'successful' }],
    ['its phase is Failed by now', { ...failed, phase: 'Failed', result: 'failed' }],
  ])('is refused where it %s', async (why, given) => {
    const world = worldOf(given);
    await expect(retryUpdate(world, target)).rejects.toThrow(why);
    expect(touched(world)).toEqual([]);
  });

  test('gives it up: it is Failed, and says who wanted that', async () => {
    const world = worldOf(failed);
    await giveUp(world, target.machine, 'given up, asked for by ada');
    await giveUp(world, target.machine, 'given up, asked for by ada');
    const { status } = await world.control.read<Machine>(machinePath);
    expect(status).toMatchObject({
      currentStatus: { phase: 'Failed' },
      lastOperation: { description: 'Machine pool-a: given up, asked for by ada', state: 'Failed' },
    });
    expect(touched(world)).toHaveLength(1);
  });
});
