import type { Hook } from '../../../../workflows/api/deletion-hooks.ts';
import { digestOfHold, holdOf, partsToBegin } from '../../../../workflows/plan/machine/hooks.ts';
import type { HookFacts } from '../../../../workflows/plan/machine/facts.ts';
import type { Row } from './rows.ts';
import { asked, deleted, failing, plan, running, wantedOf } from './rows.ts';

const etcd: Hook = {
  annotation: 'suspend-instance-deletion.node.machine.sapcloud.io/etcd',
  owner: 'etcd-druid',
};
const inventory: Hook = {
  annotation: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/inventory',
  owner: '',
};
const traffic: Hook = {
  annotation: 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic',
  owner: 'mesh',
};

function hooked(changes: Partial<HookFacts> = {}): { hooks: HookFacts } {
  return { hooks: { isDrainBegun: false, mustCheck: false, ...changes } };
}

const reportOf = (part: 'drain' | 'instance', ...hooks: Hook[]) =>
  digestOfHold({ part, hooks }) ?? '';
const going = { ...running, ...deleted };
const draining = { ...going, teardown: { stage: 'draining' } } as const;
const deleting = { ...going, teardown: { stage: 'deleting' } } as const;
const isDrainBegun = true;

test.each<Row>([
  {
    name: 'a hook before the drain is said first',
    given: { ...draining, ...hooked({ known: { drain: [traffic] } }) },
    action: 'checkHooks',
  },
  {
    name: 'then its drain waits, without an end',
    given: {
      ...draining,
      ...hooked({ known: { drain: [traffic] }, reported: reportOf('drain', traffic) }),
    },
    action: 'wait',
    reason: 'The drain waits for traffic (mesh)',
  },
  {
    name: 'when it is gone, that is said',
    given: { ...draining, ...hooked({ reported: reportOf('drain', traffic) }) },
    action: 'checkHooks',
  },
  { name: 'and the drain begins', given: { ...draining, ...hooked() }, action: 'drain' },
  {
    name: 'a hook before the instance does not hold the drain',
    given: { ...draining, ...hooked({ known: { instance: [etcd] } }) },
    action: 'drain',
  },
  {
    name: 'but the deletion of the instance',
    given: {
      ...deleting,
      ...hooked({
        isDrainBegun,
        known: { instance: [etcd] },
        reported: reportOf('instance', etcd),
      }),
    },
    action: 'wait',
    reason: 'The deletion of the instance waits for etcd (etcd-druid)',
  },
  {
    name: 'one of two that goes is said, and the other waited for',
    given: {
      ...deleting,
      ...hooked({
        isDrainBegun,
        known: { instance: [inventory] },
        reported: reportOf('instance', etcd, inventory),
      }),
    },
    action: 'checkHooks',
  },
  {
    name: 'one without an owner is waited for as well',
    given: {
      ...deleting,
      ...hooked({
        isDrainBegun,
        known: { instance: [inventory] },
        reported: reportOf('instance', inventory),
      }),
    },
    action: 'wait',
    reason: 'inventory (no owner)',
  },
  {
    name: 'a hook before a drain that has begun comes too late',
    given: { ...deleting, ...hooked({ isDrainBegun, known: { drain: [traffic] } }) },
    action: 'deleteInstance',
  },
  {
    name: 'where the drain is left out, its hook holds the instance',
    given: {
      ...deleting,
      ...hooked({ known: { drain: [traffic] }, reported: reportOf('drain', traffic) }),
    },
    action: 'wait',
    reason: 'The drain waits for traffic',
  },
  {
    name: 'so it does where an instance is searched for, whose Node is drained next',
    given: {
      ...going,
      teardown: { stage: 'searching' },
      ...hooked({ known: { drain: [traffic] }, reported: reportOf('drain', traffic) }),
    },
    action: 'wait',
  },
  {
    name: 'force passes no hook',
    given: {
      ...draining,
      drain: { ...asked, byForce: true },
      ...hooked({ known: { drain: [traffic] }, reported: reportOf('drain', traffic) }),
    },
    action: 'wait',
  },
  {
    name: 'nor does a deletion without anything to delete',
    given: {
      isRead: true,
      ...deleted,
      teardown: { stage: 'deleting' },
      ...hooked({ known: { instance: [etcd] }, reported: reportOf('instance', etcd) }),
    },
    action: 'wait',
  },
  {
    name: 'a step that a hook refused reads them before it is done again',
    given: { ...deleting, ...hooked({ isDrainBegun, mustCheck: true }) },
    action: 'checkHooks',
  },
  {
    name: 'the hold is said before a failure is waited out',
    given: {
      ...deleting,
      failure: failing(),
      ...hooked({ isDrainBegun, known: { instance: [etcd] } }),
    },
    action: 'checkHooks',
  },
  {
    name: 'once the instance is gone, a hook holds nothing any more',
    given: {
      ...going,
      teardown: { stage: 'deleted' },
      ...hooked({ isDrainBegun, known: { instance: [etcd] } }),
    },
    action: 'finishTeardown',
  },
  {
    name: 'with the object its hooks cannot be removed any more: the instance is left',
    given: {
      ...deleting,
      isGone: true,
      ...hooked({
        isDrainBegun,
        known: { instance: [etcd] },
        reported: reportOf('instance', etcd),
      }),
    },
    action: 'complete',
    reason: 'its instance lives on',
  },
  {
    name: 'without hooks a deletion goes on without its object',
    given: { ...deleting, isGone: true, ...hooked({ isDrainBegun }) },
    action: 'deleteInstance',
  },
  {
    name: 'hooks that come during a step stop nothing',
    given: {
      ...deleting,
      running: { name: 'deleteInstance', isCancelRequested: false, drain: asked },
      ...hooked({ isDrainBegun, known: { instance: [etcd] } }),
    },
    action: 'wait',
    reason: 'deleteInstance is running',
  },
])('$name', (row) => {
  expect(plan(row.given)).toMatchObject(wantedOf(row));
});

test('the parts that a step may begin', () => {
  expect(partsToBegin('searching', false)).toEqual(['drain']);
  expect(partsToBegin('draining', false)).toEqual(['drain']);
  expect(partsToBegin('draining', true)).toEqual([]);
  expect(partsToBegin('deleting', false)).toEqual(['drain', 'instance']);
  expect(partsToBegin('deleting', true)).toEqual(['instance']);
  expect(partsToBegin('finished', false)).toEqual([]);
});

test('the hooks of one part hold at a time', () => {
  const hooks = { drain: [traffic], instance: [etcd] };
  expect(holdOf(hooks, ['drain', 'instance'])).toEqual({ part: 'drain', hooks: [traffic] });
  expect(holdOf(hooks, ['instance'])).toEqual({ part: 'instance', hooks: [etcd] });
  expect(holdOf(undefined, ['instance'])).toBeUndefined();
  expect(digestOfHold(undefined)).toBeUndefined();
});
