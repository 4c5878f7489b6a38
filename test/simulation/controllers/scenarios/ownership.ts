/** What the garbage collector makes of owners. */
import type { OwnerReference } from '../../../../kube/client/client.ts';
import type { Ref, Stage } from './stage.ts';

export interface Scenario {
  name: string;
  play(stage: Stage): Promise<void>;
}

const held = ['example.com/held'];
const blocks = { blockOwnerDeletion: true };

interface Child {
  owners: OwnerReference[];
  finalizers?: string[];
}

async function child(stage: Stage, ref: Ref, { owners, finalizers = [] }: Child): Promise<void> {
  await stage.create(ref, { metadata: { ownerReferences: owners, finalizers } });
}

async function owner(stage: Stage, ref: Ref, more: Partial<OwnerReference> = {}) {
  await stage.create(ref);
  return await stage.owner(ref, more);
}

const named = (...names: string[]) => ({
  metadata: { ownerReferences: names.map((name) => ({ name })) },
});
const without = (field: string) => ({
  metadata: expect.not.objectContaining({ [field]: expect.anything() }),
});

export const ownership: readonly Scenario[] = [
  {
    name: 'dependents follow their owner, and theirs follow them',
    async play(stage) {
      await child(stage, 'ConfigMap/child', { owners: [await owner(stage, 'ConfigMap/owner')] });
      await child(stage, 'Secret/grandchild', { owners: [await stage.owner('ConfigMap/child')] });
      await stage.delete('ConfigMap/owner', { propagationPolicy: 'Background' });
      await stage.sees({
        'ConfigMap/owner': null,
        'ConfigMap/child': null,
        'Secret/grandchild': null,
      });
    },
  },
  {
    name: 'a dependent with another owner stays, and loses the one that is gone',
    async play(stage) {
      const [gone, there] = [
        await owner(stage, 'ConfigMap/gone'),
        await owner(stage, 'ConfigMap/there'),
      ];
      await child(stage, 'ConfigMap/child', { owners: [gone, there] });
      await stage.delete('ConfigMap/gone', { propagationPolicy: 'Background' });
      await stage.sees({ 'ConfigMap/child': named('there') });
    },
  },
  {
    name: 'owners of another UID, name or kind are absent',
    async play(stage) {
      const there = await owner(stage, 'ConfigMap/owner');
      await child(stage, 'ConfigMap/by-uid', { owners: [{ ...there, uid: 'earlier' }] });
      await child(stage, 'ConfigMap/by-name', { owners: [{ ...there, name: 'renamed' }] });
      await child(stage, 'ConfigMap/by-kind', { owners: [{ ...there, kind: 'Secret' }] });
      await child(stage, 'ConfigMap/child', { owners: [there] });
      await stage.sees({
        'ConfigMap/by-uid': null,
        'ConfigMap/by-name': null,
        'ConfigMap/by-kind': null,
      });
      await stage.sees({ 'ConfigMap/child': named('owner') });
    },
  },
  {
    name: 'an owner of a kind that is not served keeps its dependents',
    async play(stage) {
      const strange = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'a', uid: 'a' };
      await child(stage, 'ConfigMap/child', { owners: [strange] });
      await stage.fence();
      await stage.sees({ 'ConfigMap/child': named('a') });
    },
  },
  {
    name: 'an object that is in no namespace has no owners in one',
    async play(stage) {
      await child(stage, 'Node/free', { owners: [await owner(stage, 'ConfigMap/owner')] });
      await stage.delete('ConfigMap/owner', { propagationPolicy: 'Background' });
      await stage.fence();
      await stage.sees({ 'Node/free': named('owner') });
      await stage.delete('Node/free');
    },
  },
  {
    name: 'in the foreground an owner waits for those that block it',
    async play(stage) {
      const there = await owner(stage, 'ConfigMap/owner');
      await child(stage, 'ConfigMap/blocks', {
        owners: [{ ...there, ...blocks }],
        finalizers: held,
      });
      await child(stage, 'ConfigMap/other', { owners: [there], finalizers: held });
      await stage.delete('ConfigMap/owner', { propagationPolicy: 'Foreground' });
      const deleting = { metadata: { deletionTimestamp: expect.any(String) } };
      await stage.sees({ 'ConfigMap/blocks': deleting, 'ConfigMap/other': deleting });
      await stage.fence();
      await stage.sees({ 'ConfigMap/owner': { metadata: { finalizers: ['foregroundDeletion'] } } });
      await stage.patch('ConfigMap/blocks', { metadata: { finalizers: null } });
      await stage.sees({ 'ConfigMap/owner': null, 'ConfigMap/other': deleting });
      await stage.patch('ConfigMap/other', { metadata: { finalizers: null } });
    },
  },
  {
    name: 'a dependent with dependents is deleted in the foreground too',
    async play(stage) {
      const there = await owner(stage, 'ConfigMap/owner', blocks);
      await child(stage, 'ConfigMap/child', { owners: [there] });
      const owners = [await stage.owner('ConfigMap/child', blocks)];
      await child(stage, 'ConfigMap/grandchild', { owners, finalizers: held });
      await stage.delete('ConfigMap/owner', { propagationPolicy: 'Foreground' });
      await stage.sees({
        'ConfigMap/child': { metadata: { finalizers: ['foregroundDeletion'] } },
        'ConfigMap/grandchild': { metadata: { deletionTimestamp: expect.any(String) } },
      });
      await stage.patch('ConfigMap/grandchild', { metadata: { finalizers: null } });
      await stage.sees({ 'ConfigMap/owner': null, 'ConfigMap/child': null });
    },
  },
  {
    name: 'a dependent that another owner keeps holds up none',
    async play(stage) {
      const there = await owner(stage, 'ConfigMap/owner', blocks);
      const other = await owner(stage, 'ConfigMap/other');
      await child(stage, 'ConfigMap/child', { owners: [there, other] });
      await stage.delete('ConfigMap/owner', { propagationPolicy: 'Foreground' });
      await stage.sees({ 'ConfigMap/owner': null, 'ConfigMap/child': named('other') });
    },
  },
  {
    name: 'owners that wait for each other do not wait for ever',
    async play(stage) {
      const one = await owner(stage, 'ConfigMap/one', blocks);
      await child(stage, 'ConfigMap/two', { owners: [one] });
      const ownerReferences = [await stage.owner('ConfigMap/two', blocks)];
      await stage.patch('ConfigMap/one', { metadata: { ownerReferences } });
      await stage.delete('ConfigMap/one', { propagationPolicy: 'Foreground' });
      await stage.sees({ 'ConfigMap/one': null, 'ConfigMap/two': null });
    },
  },
  {
    name: 'orphans lose their owner, and stay',
    async play(stage) {
      const there = await owner(stage, 'ConfigMap/owner', blocks);
      const other = await owner(stage, 'ConfigMap/other');
      await child(stage, 'ConfigMap/child', { owners: [there, other] });
      await child(stage, 'ConfigMap/lone', { owners: [there] });
      await stage.delete('ConfigMap/owner', { propagationPolicy: 'Orphan' });
      await stage.sees({ 'ConfigMap/owner': null });
      await stage.fence();
      await stage.sees({
        'ConfigMap/child': named('other'),
        'ConfigMap/lone': without('ownerReferences'),
      });
    },
  },
  {
    name: 'an object that was marked for it orphans its own when its owner goes',
    async play(stage) {
      const owners = [await owner(stage, 'ConfigMap/owner')];
      await child(stage, 'ConfigMap/child', { owners, finalizers: ['orphan'] });
      await child(stage, 'ConfigMap/grandchild', {
        owners: [await stage.owner('ConfigMap/child')],
      });
      await stage.delete('ConfigMap/owner', { propagationPolicy: 'Background' });
      await stage.sees({
        'ConfigMap/child': null,
        'ConfigMap/grandchild': without('ownerReferences'),
      });
    },
  },
];
