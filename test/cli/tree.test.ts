/** Where an object stands among its owners. */
import { expect, test } from 'vitest';
import { subjectOf } from '../../cli/explain/subject.ts';
import { rootOf } from '../../cli/tree/tree.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { aFleet, aMachine, metaOf, running } from './diagnosis/objects.ts';

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
  const where = { fleet: aFleet({ sets: [aSet(1)], machines: [machine] }), namespace: 'shoot' };
  const set = { kind: 'machineset', name: 'pool-1' } as const;
  expect(subjectOf(set, where)).toMatchObject({ kind: 'machineset' });
  expect(rootOf(set, where)).toMatchObject({ name: 'pool-1', branches: [{ name: 'a' }] });
  expect(rootOf({ kind: 'machine', name: 'a' }, where)).toMatchObject({ name: 'pool-1' });
});
