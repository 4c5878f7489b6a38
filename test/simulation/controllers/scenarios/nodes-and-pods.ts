/** Taints of Nodes, and what becomes of their pods. */
import type { Scenario } from './ownership.ts';
import type { Ref, Stage } from './stage.ts';

const unreachable = 'node.kubernetes.io/unreachable';
const unready = 'node.kubernetes.io/not-ready';
const containers = [{ name: 'app', image: 'nothing' }];
const running = { status: { phase: 'Running' } };

/** On this Node or nowhere, past the scheduler. */
async function podOn(
  stage: Stage,
  node: string,
  { spec = {}, metadata = {} }: { spec?: object; metadata?: object } = {},
): Promise<Ref> {
  const ref: Ref = `Pod/on-${node}`;
  const nodeName = stage.nodeName(node);
  await stage.create(ref, { metadata, spec: { containers, nodeName, ...spec } });
  await stage.sees({ [ref]: running });
  return ref;
}

const unbound = { spec: expect.not.objectContaining({ nodeName: expect.anything() }) };

const readyIs = (status: string): object => ({
  status: {
    conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status })]),
  },
});

export const nodesAndPods: readonly Scenario[] = [
  {
    name: 'a Node whose kubelet says that it is not ready is tainted; of its pods that says nothing',
    async play(stage) {
      for (const name of ['a', 'b', 'c']) await stage.startNode(name);
      await stage.seesTaints('a', []);
      const pod = await podOn(stage, 'a');
      await stage.setReady('a', false);
      await stage.seesTaints('a', [`${unready}:NoExecute`, `${unready}:NoSchedule`]);
      await stage.sees({ [pod]: readyIs('True') });
      await stage.setReady('a', true);
      await stage.seesTaints('a', []);
    },
  },
  {
    name: 'a Node whose kubelet is silent is tainted, and its pods are not ready',
    async play(stage) {
      for (const name of ['a', 'b', 'c']) await stage.startNode(name);
      const pod = await podOn(stage, 'a');
      await stage.silence('a');
      await stage.seesTaints('a', [`${unreachable}:NoExecute`, `${unreachable}:NoSchedule`]);
      await stage.sees({ [pod]: readyIs('False') });
      await stage.delete(pod);
      const deletionTimestamp: unknown = expect.any(String);
      await stage.sees({ [pod]: { metadata: { deletionTimestamp } } });
      await stage.delete(pod, { gracePeriodSeconds: 0 });
      await stage.sees({ [pod]: null });
    },
  },
  {
    name: 'a cordoned Node is tainted; taints of others stay',
    async play(stage) {
      await stage.startNode('a');
      await stage.seesTaints('a', []);
      const taints = [{ key: 'example.com/own', effect: 'NoSchedule' }];
      await stage.patch('Node/a', { spec: { unschedulable: true, taints } });
      const cordoned = 'node.kubernetes.io/unschedulable:NoSchedule';
      await stage.seesTaints('a', ['example.com/own:NoSchedule', cordoned]);
      await stage.patch('Node/a', { spec: { unschedulable: null } });
      await stage.seesTaints('a', ['example.com/own:NoSchedule']);
    },
  },
  {
    name: 'a taint NoExecute drives away who does not tolerate it',
    async play(stage) {
      for (const name of ['a', 'b']) await stage.startNode(name);
      const gone = await podOn(stage, 'a');
      const tolerations = [{ key: 'example.com/own', operator: 'Exists' }];
      const stays = await podOn(stage, 'b', { spec: { tolerations } });
      const taints = [{ key: 'example.com/own', effect: 'NoExecute' }];
      for (const name of ['b', 'a'] as const)
        await stage.patch(`Node/${name}`, { spec: { taints } });
      await stage.sees({ [gone]: null });
      await stage.sees({ [stays]: running });
    },
  },
  {
    name: 'a pod waits for a Node that takes it',
    async play(stage) {
      await stage.startNode('a');
      await stage.patch('Node/a', { spec: { unschedulable: true } });
      await stage.seesTaints('a', ['node.kubernetes.io/unschedulable:NoSchedule']);
      const nodeSelector = { 'kubernetes.io/hostname': stage.nodeName('a') };
      await stage.create('Pod/waiting', { spec: { containers, nodeSelector } });
      await stage.fence();
      await stage.sees({ 'Pod/waiting': unbound });
      await stage.patch('Node/a', { spec: { unschedulable: null } });
      await stage.sees({ 'Pod/waiting': { spec: { nodeName: stage.nodeName('a') }, ...running } });
    },
  },
  {
    name: 'a pod that is deleted ends, and one with a finalizer after it',
    async play(stage) {
      for (const name of ['a', 'b']) await stage.startNode(name);
      const pod = await podOn(stage, 'a');
      const held = await podOn(stage, 'b', { metadata: { finalizers: ['example.com/held'] } });
      for (const ref of [pod, held]) await stage.delete(ref);
      await stage.sees({
        [pod]: null,
        [held]: { metadata: { deletionTimestamp: expect.any(String) } },
      });
      await stage.patch(held, { metadata: { finalizers: null } });
      await stage.sees({ [held]: null });
    },
  },
  {
    name: 'pods of a Node that is gone are removed',
    async play(stage) {
      for (const name of ['a', 'b']) await stage.startNode(name);
      const pod = await podOn(stage, 'a');
      await stage.delete('Node/a');
      await stage.sees({ [pod]: null });
    },
  },
];
