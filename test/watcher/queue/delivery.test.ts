import { plainMemo } from '../../../workflows/contracts/plain-memo.ts';
import { WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { createDelivery } from '../../../watcher/queue/delivery.ts';
import type { DeliveryOptions } from '../../../watcher/queue/delivery.ts';
import type { Signal } from '../../../watcher/dispatch/signal.ts';

type Temporal = DeliveryOptions['temporal'];

const sighting = { cluster: 'c', epoch: 1, resourceVersion: '5' };
const observed: Signal = {
  kind: 'machine',
  object: 'pool-abc',
  name: 'machineObserved',
  payload: { ...sighting, uid: 'u' },
  start: { summary: 'Machine default/pool-abc of MachineSet pool', machineSet: 'pool' },
  cause: { resource: 'machines', resourceVersion: '5' },
};
const changed: Signal = {
  kind: 'machineSet',
  object: 'pool',
  name: 'machinesChanged',
  payload: sighting,
  cause: { resource: 'machines', resourceVersion: '5' },
};

interface Recorded {
  type?: string;
  options?: Record<string, unknown>;
  id?: string;
  name?: string;
}

function deliveryTo(
  calls: Recorded[],
  { error, launches }: { error?: Error; launches?: DeliveryOptions['launches'] } = {},
) {
  const answer = async (): Promise<void> => {
    await Promise.resolve();
    if (error !== undefined) throw error;
  };
  const temporal: Temporal = Object.assign(Object.create(null), {
    connection: { withDeadline: (_deadline: number, run: () => unknown) => run() },
    workflow: {
      signalWithStart(type: string, options: Record<string, unknown>) {
        calls.push({ type, options });
        return answer();
      },
      getHandle: (id: string) => ({
        signal(name: string) {
          calls.push({ id, name });
          return answer();
        },
      }),
    },
  });
  return createDelivery({
    temporal,
    namespace: 'default',
    cluster: 'c',
    taskQueue: 'q',
    timeouts: { workflowTaskSeconds: 7, heartbeatSeconds: 21 },
    creationTimeoutSeconds: 1_200,
    launches,
  });
}

test('a live object starts its workflow, with all that a person wants to see', async () => {
  const calls: Recorded[] = [];
  expect(await deliveryTo(calls)(observed)).toBe('sent');
  expect(calls).toMatchObject([
    {
      type: 'machine',
      options: {
        workflowId: 'machine/default/pool-abc',
        args: [{ ref: { namespace: 'default', name: 'pool-abc' }, cluster: 'c' }],
        taskQueue: 'q',
        signal: 'machineObserved',
        signalArgs: [observed.payload],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: 7_000,
        memo: plainMemo({ heartbeatSeconds: 21 }),
        staticSummary: 'Machine default/pool-abc of MachineSet pool',
      },
    },
  ]);
  const attributes = calls[0]?.options?.['typedSearchAttributes'];
  if (!(attributes instanceof TypedSearchAttributes)) throw new Error('no search attributes');
  const shown = attributes.getAll().map(({ key, value }) => [key.name, value]);
  expect(Object.fromEntries(shown)).toEqual({
    Attention: 'none',
    KubeCluster: 'c',
    KubeNamespace: 'default',
    MachineSet: 'pool',
  });
});

test.each([
  {
    name: 'a Machine without a phase is Pending until the timeout of the flag',
    machine: { phase: '', createdAt: 1_000_000, creationTimeoutSeconds: undefined },
    shown: { State: 'Pending', WaitingSince: 1_000_000, Deadline: 2_200_000 },
  },
  {
    name: 'a Machine with a timeout of its own is Pending until then',
    machine: { phase: '', createdAt: 1_000_000, creationTimeoutSeconds: 60 },
    shown: { State: 'Pending', WaitingSince: 1_000_000, Deadline: 1_060_000 },
  },
  {
    name: 'a Machine whose workflow was lost has its phase',
    machine: { phase: 'Running', createdAt: 1_000_000, creationTimeoutSeconds: 60 },
    shown: { State: 'Running' },
  },
])('$name', async ({ machine, shown }) => {
  const calls: Recorded[] = [];
  await deliveryTo(calls)({ ...observed, start: { summary: 'a', machine } });
  const attributes = calls[0]?.options?.['typedSearchAttributes'];
  if (!(attributes instanceof TypedSearchAttributes)) throw new Error('no search attributes');
  const pairs = attributes
    .getAll()
    .filter(({ key }) => ['State', 'WaitingSince', 'Deadline'].includes(key.name))
    .map(({ key, value }) => [key.name, value instanceof Date ? value.getTime() : value]);
  expect(Object.fromEntries(pairs)).toEqual(shown);
});

const launches = (provider: string): boolean => provider === 'virtual';

describe('a run of a new Machine', () => {
  const machine = { phase: '', createdAt: 1_000_000, creationTimeoutSeconds: undefined };
  test.each([
    { provider: 'virtual', given: { provider: 'virtual', deadline: 2_200_000 } },
    { provider: 'acme', given: undefined },
    { provider: undefined, given: undefined },
  ])('of the provider $provider gets $given for its launch', async ({ provider, given }) => {
    const calls: Recorded[] = [];
    const start = { summary: 'a', machine, provider };
    await deliveryTo(calls, { launches })({ ...observed, start });
    expect(calls[0]?.options?.['args']).toEqual([
      {
        ref: { namespace: 'default', name: 'pool-abc' },
        cluster: 'c',
        ...(given && { launch: given }),
      },
    ]);
  });

  test('gets nothing where the driver is in another process', async () => {
    const calls: Recorded[] = [];
    const start = { summary: 'a', machine, provider: 'virtual' };
    await deliveryTo(calls)({ ...observed, start });
    expect(JSON.stringify(calls[0]?.options?.['args'])).not.toContain('launch');
  });
});

test('a set goes before its machines', async () => {
  const calls: Recorded[] = [];
  await deliveryTo(calls)(observed);
  await deliveryTo(calls)({ ...observed, kind: 'machineSet', object: 'pool' });
  const priorities = calls.map(({ options }) => options?.['priority']);
  expect(priorities).toEqual([{ fairnessKey: 'default/pool' }, { priorityKey: 1 }]);
});

test('a plain signal starts nothing', async () => {
  const calls: Recorded[] = [];
  expect(await deliveryTo(calls)(changed)).toBe('sent');
  expect(calls).toEqual([{ id: 'machineSet/default/pool', name: 'machinesChanged' }]);
});

test('a workflow that does not run is told apart from a server that does not answer', async () => {
  const missing = new WorkflowNotFoundError('not found', 'machineSet/default/pool', undefined);
  expect(await deliveryTo([], { error: missing })(changed)).toBe('noWorkflow');
  await expect(deliveryTo([], { error: new Error('away') })(changed)).rejects.toThrow('away');
});
