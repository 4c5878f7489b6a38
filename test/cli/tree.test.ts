/** Where an object stands among its owners. */
import { explainSet } from '../../cli/explain/pools.ts';
import { subjectOf } from '../../cli/explain/subject.ts';
import { rootOf, treeAnswer } from '../../cli/tree/tree.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import {
  anInstall,
  aMachine,
  metaOf,
  minutesAgo,
  now,
  refused,
  running,
} from './diagnosis/objects.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';
const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `uid-of-${name}` }],
});
const aSet = (replicas: number): MachineSet => ({
  apiVersion,
  kind: 'MachineSet',
  metadata: metaOf('pool-1', ownedBy('MachineDeployment', 'pool')),
  spec: { replicas },
});

test('a set whose deployment is gone is there all the same, and so are its machines', () => {
  const machine = aMachine('a', { metadata: ownedBy('MachineSet', 'pool-1'), status: running });
  const where = {
    install: anInstall({ sets: [aSet(1)], machines: [machine] }),
    namespace: 'shoot',
  };
  const set = { kind: 'machineset', name: 'pool-1' } as const;
  expect(subjectOf(set, where)).toMatchObject({ kind: 'machineset' });
  expect(rootOf(set, where)).toMatchObject({ name: 'pool-1', branches: [{ name: 'a' }] });
  expect(rootOf({ kind: 'machine', name: 'a' }, where)).toMatchObject({ name: 'pool-1' });
});

test.each<[string, number, { state?: string; awaits?: string }]>([
  ['all that are wanted run', 2, { state: 'Complete' }],
  [
    'one is missing while another goes',
    3,
    { awaits: '3 machines that are available; there are 2' },
  ],
  ['some are to go', 1, { awaits: '1 machine; there are 2' }],
])('a set of which %s', (_which, replicas, { state = 'Scaling', awaits }) => {
  const ofSet = ownedBy('MachineSet', 'pool-1');
  const going = { ...ofSet, deletionTimestamp: minutesAgo(30), finalizers: ['x'] };
  const machines = [
    aMachine('a', { metadata: ofSet, status: running }),
    aMachine('b', { metadata: ofSet, status: running }),
    aMachine('c', { metadata: going, status: { currentStatus: { phase: 'Terminating' } } }),
  ];
  const explained = explainSet({ set: aSet(replicas), machines }, anInstall());
  expect(explained.state).toBe(state);
  expect(explained.awaits?.what).toBe(awaits);
});

test('a set whose machines cannot be made is not complete', () => {
  const machines = [
    aMachine('a', { status: refused('ResourceExhausted', 'the quota is used up') }),
  ];
  const { state, awaits } = explainSet({ set: aSet(1), machines }, anInstall());
  expect(state).toBe('Scaling');
  expect(awaits?.what).toBe('1 machine that is available; there are 0');
});

test('a stop stands above a tree, in which machines wait because of it', () => {
  const stops = [{ namespace: 'shoot', uid: '1', reason: 'wrong disks', by: 'ada', since: now }];
  const install = anInstall({ machines: [aMachine('a')], stops });
  const root = rootOf({ kind: 'machine', name: 'a' }, { install, namespace: 'shoot' });
  const lines = treeAnswer(root, { install, isWide: false }).text.split('\n');
  expect(lines[0]).toBe('shoot is stopped since 0s by ada: wrong disks');
});
