import { expect, test } from '@jest/globals';
import { recordCreated, recordFailure, recordTimeout } from '../../../activities/machine/record.ts';
import { customResource, namespaced } from '../../../activities/kube/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachineFailure } from '../../../workflows/plan/machine.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'node-a', isFound: false };
const failure: MachineFailure = { code: 'ResourceExhausted', message: 'no room', isSettled: true };
const generation = 'millwright.dev/create-generation';

const report = {
  machine,
  failure,
  operation: 'Create',
  phase: 'CrashLoopBackOff',
  createGeneration: 2,
} as const;

test('an instance is recorded in two writes: ids and label, then Pending', async () => {
  const metadata = { annotations: { [generation]: '2' } };
  const { control, ...world } = aWorld({ control: [aMachine({ metadata })] });
  await recordCreated({ ...world, control }, { machine, instance, usesTarget: true });
  expect(control.writes()).toEqual([`PATCH ${path}`, `PATCH ${path}/status`]);
  expect(control.read<Machine>(path)).toMatchObject({
    metadata: { labels: { node: 'node-a' }, annotations: {} },
    spec: { providerID: instance.providerID, class: { name: 'small' } },
    status: {
      currentStatus: { phase: 'Pending', timeoutActive: true },
      lastOperation: { state: 'Processing', type: 'Create' },
    },
  });
});

test('without a target cluster there is no Node label, and the machine is Available', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
  const input = { machine, instance: { ...instance, addresses }, usesTarget: false };
  await recordCreated({ ...world, control }, input);
  const stored = control.read<Machine>(path);
  expect(stored.metadata.labels).toBeUndefined();
  expect(stored.status).toMatchObject({ addresses, currentStatus: { phase: 'Available' } });
});

test('another life of the name is left alone', async () => {
  const { control, ...world } = aWorld({ control: [aMachine({ metadata: { uid: 'uid-2' } })] });
  await recordCreated({ ...world, control }, { machine, instance, usesTarget: true });
  expect(control.read<Machine>(path).spec.providerID).toBeUndefined();
  await recordFailure({ ...world, control }, report);
  expect(control.read<Machine>(path).status).toBeUndefined();
});

test('a failure stands in the status with its code, in an Event, and in the generation', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  await recordFailure({ ...world, control }, report);
  expect(control.read<Machine>(path)).toMatchObject({
    metadata: { annotations: { [generation]: '2' } },
    status: {
      currentStatus: { phase: 'CrashLoopBackOff' },
      lastOperation: {
        description:
          'Cloud provider message - machine codes error: code = [ResourceExhausted] message = [no room]',
        errorCode: 'ResourceExhausted',
        state: 'Failed',
        type: 'Create',
      },
    },
  });
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([{ reason: 'FailedCreate', count: 1, type: 'Warning' }]);
});

test('the same failure again writes nothing on the object, and is counted', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  await recordFailure({ ...world, control }, report);
  const { resourceVersion } = control.read<Machine>(path).metadata;
  await recordFailure({ ...world, control }, report);
  expect(control.read<Machine>(path).metadata.resourceVersion).toBe(resourceVersion);
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([{ count: 2 }]);
});

test.each<{ name: string; given: Machine; hasTimedOut: boolean }>([
  { name: 'too old: it has', given: aMachine({ phase: 'Pending' }), hasTimedOut: true },
  { name: 'Running meanwhile: not', given: aMachine({ phase: 'Running' }), hasTimedOut: false },
  {
    name: 'given more time: not',
    given: aMachine({ spec: { ...aMachine().spec, creationTimeout: '87600h' } }),
    hasTimedOut: false,
  },
  { name: 'another life: not', given: aMachine({ metadata: { uid: 'u2' } }), hasTimedOut: false },
])('has the creation timed out? $name', async ({ given, hasTimedOut }) => {
  const { control, ...world } = aWorld({ control: [given] });
  expect(await recordTimeout({ ...world, control }, { machine })).toEqual({ hasTimedOut });
  const isFailed = control.read<Machine>(path).status?.currentStatus?.phase === 'Failed';
  expect(isFailed).toBe(hasTimedOut);
});
