import { annotations, finalizers, labels } from '../../../../workflows/api/constants.ts';
import type {
  EquippedNode,
  NodeTemplate,
} from '../../../../workflows/plan/machine/node-template.ts';
import {
  isStripped,
  planNodeTemplate,
  withNameOfMachine,
} from '../../../../workflows/plan/machine/node-template.ts';

const machineName = 'pool-a';
const ours = { [labels.machineName]: machineName };
const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const other = { key: 'other', effect: 'NoExecute' };
const ofStart = [
  'node.cilium.io/agent-not-ready',
  'ebs.csi.aws.com/agent-not-ready',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'startup-taint.cluster-autoscaler.kubernetes.io/gpu',
  'readiness.k8s.io/storage',
  'node.gardener.cloud/critical-components-not-ready',
].map((key) => ({ key, effect: 'NoExecute' }));

/** A Node to which `last` was applied, and which has something of others. */
function nodeWith(last: NodeTemplate, own: NodeTemplate = {}): NodeTemplate {
  return {
    labels: { ...own.labels, ...last.labels, ...ours },
    annotations: {
      ...own.annotations,
      ...last.annotations,
      [annotations.lastAppliedNodeTemplate]: noteOf(last),
    },
    taints: [...(own.taints ?? []), ...(last.taints ?? [])],
  };
}

function noteOf({ labels: names, annotations: notes, taints }: NodeTemplate): string {
  return JSON.stringify({ metadata: { labels: names, annotations: notes }, spec: { taints } });
}

const noted = (template: NodeTemplate) => ({
  [annotations.lastAppliedNodeTemplate]: noteOf(template),
});

const nothing = { labels: {}, annotations: {}, isLastAppliedCorrupt: false };
const whole = { labels: { pool: 'a' }, annotations: { note: 'b' }, taints: [taint] };

interface Case {
  name: string;
  node: NodeTemplate;
  template: NodeTemplate;
  /** What the workflow knows. Default: the note of the Node is true. */
  applied?: NodeTemplate | undefined;
  change: object;
}

/** An administrator put these on the Node, and its kubelet the note that names them. */
const tier = 'node-restriction.kubernetes.io/tier';
const closed = { labels: { [tier]: 'x' }, taints: [taint] };
const forged = nodeWith({ ...closed, labels: { ...closed.labels, pool: 'a' } });

test.each<Case>([
  { name: 'nothing differs', node: nodeWith(whole), template: whole, change: {} },
  {
    name: 'the last application, written by MCM in another order',
    node: {
      ...nodeWith(whole),
      annotations: {
        note: 'b',
        [annotations.lastAppliedNodeTemplate]: JSON.stringify({
          spec: { taints: [taint] },
          metadata: { annotations: { note: 'b' }, labels: { pool: 'a' } },
        }),
      },
    },
    template: whole,
    change: {},
  },

  {
    name: 'what is wanted no more goes, what others wrote stays',
    node: nodeWith(whole, { labels: { own: 'x' }, annotations: { own: 'y' }, taints: [other] }),
    template: { labels: { zone: 'z' } },
    change: {
      labels: { pool: null, zone: 'z' },
      annotations: { note: null, ...noted({ labels: { zone: 'z' } }) },
      taints: [other],
    },
  },
  {
    name: 'what somebody else removed already is only forgotten',
    node: { ...nodeWith(whole), labels: ours, taints: [] },
    template: { annotations: { note: 'b' } },
    change: { annotations: noted({ annotations: { note: 'b' } }) },
  },
  {
    name: 'a taint with another value takes the place of the one with its key and effect',
    node: nodeWith({ taints: [taint] }, { taints: [other] }),
    template: { taints: [{ ...taint, value: 'cpu' }] },
    change: {
      annotations: noted({ taints: [{ ...taint, value: 'cpu' }] }),
      taints: [other, { ...taint, value: 'cpu' }],
    },
  },
  {
    name: 'a taint with another effect is another taint',
    node: { labels: ours, taints: [{ ...taint, effect: 'NoExecute' }] },
    template: { taints: [taint] },
    change: {
      annotations: noted({ taints: [taint] }),
      taints: [{ ...taint, effect: 'NoExecute' }, taint],
    },
  },
  {
    name: 'of two equal taints in a template the last one holds',
    node: { labels: ours },
    template: { taints: [{ ...taint, value: 'cpu' }, taint] },
    change: {
      annotations: noted({ taints: [{ ...taint, value: 'cpu' }, taint] }),
      taints: [taint],
    },
  },
  {
    name: 'since when a taint stands is not compared',
    node: nodeWith({ taints: [taint] }, {}),
    template: { taints: [taint] },
    change: {},
  },
  {
    name: 'taints that wait for an agent are put on',
    node: { labels: ours },
    template: { taints: ofStart },
    change: { annotations: noted({ taints: ofStart }), taints: ofStart },
  },
  {
    name: 'and not put back when it took them off; the others are',
    node: { ...nodeWith({ taints: [taint, ...ofStart] }), taints: [other] },
    template: { taints: [taint, ...ofStart] },
    change: { taints: [other, taint] },
  },
  {
    name: 'and go with the template',
    node: nodeWith({ taints: ofStart }),
    template: {},
    change: { annotations: noted({}), taints: [] },
  },
  {
    name: 'the name of the machine is not to be had by a template',
    node: nodeWith({ labels: { [labels.machineName]: 'x' } }),
    template: {},
    change: { annotations: noted({}) },
  },
  {
    name: 'what no template of the machine had stays, whatever the Node says of it',
    node: forged,
    template: {},
    applied: {},
    change: { annotations: noted({}) },
  },
  {
    name: 'of what only the Node says goes what its kubelet may take off itself',
    node: forged,
    template: {},
    applied: undefined,
    change: { labels: { pool: null }, annotations: noted({}), keptTaints: [taint] },
  },
  {
    name: 'what a template had goes, whatever the Node says of it',
    node: { ...nodeWith(closed), annotations: {} },
    template: {},
    applied: closed,
    change: { labels: { [tier]: null }, taints: [] },
  },
])('the change of a Node for its template: $name', (row) => {
  const { node, template, change } = row;
  const text = node.annotations?.[annotations.lastAppliedNodeTemplate];
  const { applied } = { applied: text === undefined ? {} : templateIn(text), ...row };
  const planned = planNodeTemplate(node, { machineName, template, applied });
  expect(planned).toEqual({ ...nothing, ...change });
});

function templateIn(text: string): NodeTemplate {
  const { metadata, spec } = JSON.parse(text);
  return { ...metadata, ...spec };
}

describe('a last application that cannot be read', () => {
  test.each([
    'nonsense',

    '{"metadata":5}',
    '{"metadata":{"labels":{"a":1}}}',
    '{"spec":{"taints":[{"key":"a"}]}}',
  ])('counts as nothing and is written anew: %s', (text) => {
    const node = nodeWith(whole, { labels: { own: 'x' } });
    const corrupt = { ...node.annotations, [annotations.lastAppliedNodeTemplate]: text };
    const template = { labels: { zone: 'z' } };
    expect(planNodeTemplate({ ...node, annotations: corrupt }, { machineName, template })).toEqual({
      labels: { zone: 'z' },
      annotations: noted(template),
      isLastAppliedCorrupt: true,
    });
  });
});

test('the note is written as Go writes it', () => {
  const template = { annotations: { note: 'a<b>&c' } };
  expect(planNodeTemplate({}, { machineName, template }).annotations).toMatchObject({
    [annotations.lastAppliedNodeTemplate]:
      '{"metadata":{"annotations":{"note":"a\\u003cb\\u003e\\u0026c"}},"spec":{}}',
  });
});

describe('a Node from which others took something', () => {
  const equipped = {
    ...nodeWith(whole, { labels: { of: 'others' } }),
    finalizers: [finalizers.node],
  };
  const changed = { ...equipped, labels: { ...equipped.labels, pool: 'b' } };
  const { note: _note, ...fewer } = { ...equipped.annotations };

  test.each<{ name: string; node: EquippedNode; is: boolean }>([
    { name: 'nothing but the name is left', node: { labels: ours }, is: true },

    { name: 'an annotation went', node: { ...equipped, annotations: fewer }, is: true },
    { name: 'a taint went', node: { ...equipped, taints: [other] }, is: true },
    {
      name: 'a taint that waits for an agent went',
      node: { ...nodeWith({ taints: ofStart }), taints: [], finalizers: [finalizers.node] },
      is: false,
    },

    { name: 'the name went', node: { ...equipped, labels: { ...whole.labels } }, is: true },
    {
      name: 'the note cannot be read',
      node: { ...equipped, annotations: { [annotations.lastAppliedNodeTemplate]: '{' } },
      is: true,
    },
  ])('$name: $is', ({ node, is }) => {
    expect(isStripped(node)).toBe(is);
  });

  test('is whole again once its template was applied', () => {
    const { finalizers: names, ...node } = changed;
    const { labels: texts } = planNodeTemplate(node, { machineName, template: whole });
    const mended = { pool: texts['pool'] ?? '' };
    expect(
      isStripped({ ...changed, finalizers: names, labels: { ...changed.labels, ...mended } }),
    ).toBe(false);
  });
});

describe('the name of the Machine, for the cluster autoscaler', () => {
  const machine = { namespace: 'shoot', name: machineName };
  const named = {
    'machine.sapcloud.io/machine': machineName,
    'machine.sapcloud.io/cluster-namespace': 'shoot',
  };

  test('comes with what is written anyway', () => {
    const change = planNodeTemplate({}, { machineName, template: {} });
    expect(withNameOfMachine(change, {}, machine).annotations).toMatchObject(named);
    const node = { annotations: named };
    expect(withNameOfMachine(change, node, machine)).toEqual(change);
  });

  test('is no reason for a write', () => {
    const node = {
      labels: { [labels.machineName]: machineName },
      annotations: { [annotations.lastAppliedNodeTemplate]: '{"metadata":{},"spec":{}}' },
    };
    const change = planNodeTemplate(node, { machineName, template: {} });
    expect(change).toEqual({ labels: {}, annotations: {}, isLastAppliedCorrupt: false });
    expect(withNameOfMachine(change, node, machine)).toEqual(change);
  });

  test('is not to be had by a template', () => {
    const template = { annotations: { 'machine.sapcloud.io/machine': 'other' } };
    const change = planNodeTemplate({}, { machineName, template });
    expect(change.annotations).not.toHaveProperty(['machine.sapcloud.io/machine']);
  });
});
