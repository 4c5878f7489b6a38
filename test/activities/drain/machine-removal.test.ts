/** What follows a drain in the same attempt, and what is left to the steps of the workflow. */
import { removeMachine } from '../../../activities/drain/machine-removal.ts';
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import type { DeleteOutcome } from '../../../workflows/contracts/driver-contract.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';
import { removal } from './drain-under-test.ts';

const path = customResource('machines', namespace, 'pool-a');
const deletionTimestamp = '2026-01-01T01:00:00Z';
const deleted = { outcome: 'deleted', isFound: true, settleSeconds: 30 } as const;

/** A Machine that goes, with its Node; the cloud answers as given. */
function removing(answer: Promise<DeleteOutcome> | undefined) {
  const world = aWorld({
    control: [aMachine({ metadata: { deletionTimestamp } })],
    target: [aNode()],
  });
  const warnings: unknown[] = [];
  const parts = {
    dependencies: world,
    deletions: { serves: () => true, deleteInstance: () => answer },
    warn: (error: unknown) => void warnings.push(error),
  };
  const run = (isForced = false) => removeMachine(parts, removal, { isForced });
  return { world, warnings, run };
}

const answering = (answer: DeleteOutcome) => removing(Promise.resolve(answer));

test('an instance that was deleted takes Node and finalizer along', async () => {
  const { world, run } = answering(deleted);
  expect(await run()).toEqual({ deletion: deleted, finish: {} });
  expect([world.target.has(nodePath('pool-a')), world.control.has(path)]).toEqual([false, false]);
});

test.each<DeleteOutcome>([
  { ...deleted, isFound: false },
  { outcome: 'pending', message: 'instance i-1 is shutting-down', pollAfterSeconds: 5 },
])('the answer $outcome leaves Node and finalizer to the workflow', async (answer) => {
  const { world, run } = answering(answer);
  expect(await run()).toEqual({ deletion: answer });
  expect([world.target.has(nodePath('pool-a')), world.control.has(path)]).toEqual([true, true]);
});

test('a Node whose instance cannot be deleted has our finalizer again', async () => {
  const failure = { code: 'PermissionDenied', message: 'no', isSettled: true } as const;
  const { world, run } = answering({ outcome: 'failed', failure });
  expect(await run()).toEqual({ deletion: { outcome: 'failed', failure } });
  const { metadata } = await world.target.read<Node>(nodePath('pool-a'));
  expect(metadata.finalizers).toEqual([finalizers.node]);
});

test('a call that was cancelled, or that found no slot, is left to the queue of the driver', async () => {
  const failure = { code: 'Canceled', message: 'cancelled', isSettled: false } as const;
  expect(await answering({ outcome: 'failed', failure }).run()).toBeUndefined();
  expect(await removing(undefined).run()).toBeUndefined();
});

test('a call without an answer fails no drain', async () => {
  const fault = new Error('stopped by a person');
  const { warnings, run } = removing(Promise.reject(fault));
  expect(await run()).toBeUndefined();
  expect(warnings).toEqual([fault]);
});

test('a target cluster that keeps the Node is an answer, a control cluster that is away is none', async () => {
  const kept = answering(deleted);
  kept.world.target.fault = () => ({ code: 403, reason: 'Forbidden' });
  expect(await kept.run()).toMatchObject({
    finish: { failure: { code: 'PermissionDenied', during: 'nodeDeletion' } },
  });
  const away = answering(deleted);
  away.world.control.fault = () => ({ code: 500, reason: 'InternalError' });
  expect(await away.run()).toEqual({ deletion: deleted });
  expect(away.warnings).toHaveLength(1);
});

test.each([true, false])(
  'isForced %s: the volumes are detached after a forced drain',
  async (isForced) => {
    const { world, run } = answering(deleted);
    await run(isForced);
    expect(world.target.calls.some((call) => call.includes('volumeattachments'))).toBe(isForced);
  },
);
