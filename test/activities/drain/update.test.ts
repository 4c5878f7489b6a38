/** The drain of a Node that is updated in place: it is cordoned, and stays. */
import type { DrainRequest } from '../../../workflows/contracts/drain-activities.ts';
import { labels } from '../../../workflows/api/constants.ts';
import { inPlaceUpdate } from '../../../workflows/api/in-place.ts';
import type { NodeCondition } from '../../../workflows/api/meta.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { timestamp } from '../../../kube/objects/time.ts';
import { aMachine, aNode, aPod } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aBudget, Drain, refusal } from './drain-under-test.ts';

const forUpdate: Partial<DrainRequest> = { keepsNode: true, isForUpdate: true };
const selection = { type: inPlaceUpdate, status: 'True', reason: 'SelectedForUpdate' } as const;
const marks = { [labels.candidateForUpdate]: 'true', [labels.selectedForUpdate]: 'true' };

interface Given {
  conditions?: NodeCondition[];
  marked?: Record<string, string>;
  machine?: Parameters<typeof aMachine>[0];
  pods?: object[];
}

function drainOf({ conditions = [selection], marked = marks, machine, pods = [aPod()] }: Given) {
  const ready = { type: 'Ready', status: 'True' } as const;
  const all = [...(conditions.some(({ type }) => type === 'Ready') ? [] : [ready]), ...conditions];
  const node = aNode({ metadata: { labels: marked }, status: { conditions: all } });
  const drain = new Drain(new InMemoryClient(node, ...pods));
  drain.control.put(aMachine({ phase: 'Running', ...machine }));
  return drain;
}

function blockedDrainOf(given: Given): Drain {
  const drain = drainOf({ ...given, pods: [aPod(), aBudget('web')] });
  drain.target.fault = ({ path }) => (path.endsWith('/eviction') ? refusal : undefined);
  return drain;
}

const readNode = (drain: Drain) => drain.target.read<Node>(nodePath('pool-a'));

test('the Node is cordoned, its pods are asked, and nothing says that it goes', async () => {
  const drain = drainOf({});
  expect(await drain.run(forUpdate)).toEqual({ evictedPods: 1, isForced: false, isEmptied: true });
  const { spec, status, metadata } = await readNode(drain);
  expect(spec?.unschedulable).toBe(true);
  expect(status?.conditions?.map(({ type }) => type)).toEqual(['Ready', inPlaceUpdate]);
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(drain.evictions()).toBe(1);
  // What follows says that it went well.
  expect(drain.operations()).toBe(0);
});

test('a pod of a DaemonSet stays', async () => {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: 'net',
    uid: 'u',
    controller: true,
  };
  const drain = drainOf({ pods: [aPod({ metadata: { ownerReferences: [owner] } })] });
  expect(await drain.run(forUpdate)).toMatchObject({ evictedPods: 0, isEmptied: true });
});

test('a budget that allows none is said on the Machine, in the words of MCM', async () => {
  const drain = blockedDrainOf({});
  await expect(drain.run(forUpdate)).rejects.toThrow('1 pod left');
  expect(await drain.operation()).toMatchObject({
    description: expect.stringMatching(
      /^Drain failed due to - .*\. Will retry in next sync\. Initiate node drain$/,
    ),
    state: 'Processing',
    type: 'DrainNode',
  });
  await expect(drain.run(forUpdate)).rejects.toThrow('1 pod left');
  expect(drain.operations()).toBe(1);
});

const long = timestamp(Date.now() - 301_000);

test.each<[what: string, given: Given, changes: Partial<DrainRequest>]>([
  ['its time is over', {}, { deadline: Date.now() - 1_000 }],
  ['its label says so', { machine: { metadata: { labels: { [labels.forceDrain]: 'True' } } } }, {}],
  [
    'it is NotReady for over 5 minutes',
    { conditions: [selection, { type: 'Ready', status: 'False', lastTransitionTime: long }] },
    {},
  ],
])('is forced where %s', async (_what, given, changes) => {
  const drain = drainOf(given);
  const outcome = await drain.run({ ...forUpdate, ...changes });
  expect(outcome).toEqual({ evictedPods: 1, isForced: true, isEmptied: true });
  expect(drain.evictions()).toBe(0);
  expect(drain.has('web-0')).toBe(false);
  expect((await readNode(drain)).spec?.unschedulable).toBe(true);
});

test('by force that fails does not go on to the update: it is tried again', async () => {
  const drain = drainOf({});
  drain.target.fault = ({ method }) =>
    method === 'DELETE' ? { code: 403, reason: 'Forbidden', message: 'a webhook' } : undefined;
  const run = drain.run({ ...forUpdate, isForced: true });
  await expect(run).rejects.toMatchObject({
    message: expect.stringContaining('1 pods could not be deleted'),
  });
  await expect(run).rejects.not.toMatchObject({ nonRetryable: true });
  expect(await drain.operation()).toMatchObject({ type: 'DrainNode', state: 'Processing' });
});

test.each<[what: string, given: Given]>([
  ['is not selected', { marked: {} }],
  ['says nothing of an update', { conditions: [] }],
  ['is beyond its drain', { conditions: [{ ...selection, reason: 'ReadyForUpdate' }] }],
  [
    'goes with its Machine',
    {
      machine: {
        phase: 'Terminating',
        metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
    },
  ],
])('leaves a Node alone that %s', async (_what, given) => {
  const drain = drainOf(given);
  expect(await drain.run(forUpdate)).toEqual({ evictedPods: 0, isForced: false });
  expect(drain.target.writes()).toEqual([]);
});

test('words that come late do not take the place of those of the update', async () => {
  const drain = blockedDrainOf({ machine: { phase: 'InPlaceUpdating' } });
  await expect(drain.run(forUpdate)).rejects.toThrow('1 pod left');
  expect(drain.operations()).toBe(0);
});
