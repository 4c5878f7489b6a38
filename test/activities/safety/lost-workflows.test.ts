import { checkpointAnnotation } from '../../../kube/leases/lease-set.ts';
import type { Dead, Living } from '../../../activities/runtime/workflow-registry.ts';
import { compareWorkflows, repairWorkflows } from '../../../activities/safety/lost-workflows.ts';
import { lifeSignals, refOf } from '../../../workers/temporal/workflow-registry.ts';
import type { WorkflowRef } from '../../../workflows/plan/safety/lost-workflows.ts';
import { isWell } from '../../../workflows/plan/safety/lost-workflows.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aNode,
  namespace,
} from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';

const a: WorkflowRef = { kind: 'machine', name: 'pool-a' };

/** Workflows that run, those that ended, and what was told. */
class Board {
  readonly told: string[] = [];
  readonly lives: Living[] = [];
  ends: Record<string, string> = {};
  atWork: WorkflowRef[] = [];
  fails = false;

  replaced = 0;

  running = async () => ({ running: this.atWork, replaced: this.replaced });

  endReplaced = async (): Promise<number> => {
    this.told.push(`end of ${this.replaced} of others`);
    return this.replaced;
  };

  closeReason = async ({ kind, name }: WorkflowRef): Promise<string | undefined> =>
    this.ends[`${kind}/${name}`];

  signalObserved = async (living: Living, epoch: number): Promise<void> => {
    if (this.fails) throw new Error('Temporal is away');
    this.lives.push(living);
    this.told.push(`life of ${living.kind}/${living.object.metadata.name} at ${epoch}`);
  };

  signalMissing = async (machine: string): Promise<void> => {
    this.told.push(`missing instance of ${machine}`);
  };

  signalGone = async (dead: Dead, epoch: number): Promise<string | undefined> => {
    this.told.push(`death of ${dead.kind}/${dead.name} at ${epoch}`);
    return undefined;
  };
}

const lease = {
  kind: 'Lease',
  metadata: { name: 'millwright', namespace },
  spec: { holderIdentity: 'watcher', leaseTransitions: 7 },
};

function aBoardAndWorld(...control: object[]) {
  const workflows = new Board();
  const target = [aNode()];
  return {
    workflows,
    world: aWorld({ control: [lease, ...control], target, workflows }),
  };
}

describe('the comparison', () => {
  test('reads all three kinds, without their content', async () => {
    const objects = [aMachine(), aMachineSet(), aMachineDeployment()];
    const { workflows, world } = aBoardAndWorld(...objects);
    workflows.atWork = [a, { kind: 'machine', name: 'pool-z' }];
    const look = await compareWorkflows(world, { namespace });
    expect(look).toMatchObject({ objects: 3, running: 2 });
    expect(look.unattended.map(({ kind }) => kind)).toEqual(['machineDeployment', 'machineSet']);
    expect(look.leftOver).toEqual([{ kind: 'machine', name: 'pool-z' }]);
  });

  const signalled = { [checkpointAnnotation]: 'x' };

  test.each([
    { name: 'no watcher has led yet, as beside an MCM that acts', leases: [], lost: [] },
    { name: 'machines were handed back to MCM', leases: [lease], lost: [] },
    {
      name: 'the last watcher signalled all',
      leases: [{ ...lease, metadata: { ...lease.metadata, annotations: signalled } }],
      lost: [a],
    },
  ])('without a watcher that leads, where $name, misses $lost', async ({ leases, lost }) => {
    const workflows = new Board();
    workflows.atWork = [{ kind: 'machine', name: 'pool-z' }];
    const activeWatcher = { isActive: () => false };
    const world = aWorld({ control: [...leases, aMachine()], workflows, activeWatcher });
    const look = await compareWorkflows(world, { namespace });
    expect(look).toMatchObject({ objects: 1, unattended: lost, leftOver: workflows.atWork });
  });
});

test('misses and ends no workflow while the watcher is of another install, or of another Temporal', async () => {
  const metadata = { ...lease.metadata, annotations: { [checkpointAnnotation]: 'x' } };
  const activeWatcher = { isActive: () => false, isElsewhere: () => true };
  const control = [{ ...lease, metadata }, aMachine()];
  const workflows = new Board();
  workflows.replaced = 1;
  const world = aWorld({ control, workflows, activeWatcher });
  const look = await compareWorkflows(world, { namespace });
  expect(look).toMatchObject({ objects: 1, unattended: [] });
  expect(isWell(look)).toBe(true);
});

describe('workflows of an install that was replaced', () => {
  test('do not count as those of their objects', async () => {
    const { workflows, world } = aBoardAndWorld(aMachine());
    workflows.replaced = 1;
    const look = await compareWorkflows(world, { namespace });
    expect(look).toMatchObject({ running: 0, unattended: [a], replaced: 1 });
    expect(isWell({ ...look, unattended: [] })).toBe(false);
  });

  test('end before a workflow of the same name is started', async () => {
    const { workflows, world } = aBoardAndWorld(aMachine());
    workflows.replaced = 1;
    workflows.ends = { 'machine/pool-a': 'was terminated' };
    await repairWorkflows(world, { namespace, unattended: [a], leftOver: [], replaced: 1 });
    expect(workflows.told).toEqual(['end of 1 of others', 'life of machine/pool-a at 7']);
  });
});

describe('healing', () => {
  test('starts the workflow of a living object as its watcher would, and says so', async () => {
    const machine = aMachine({ metadata: { labels: { node: 'pool-a' } } });
    const { workflows, world } = aBoardAndWorld(machine);
    workflows.ends = { 'machine/pool-a': 'was terminated' };
    const healed = await repairWorkflows(world, { namespace, unattended: [a], leftOver: [] });
    const why = 'its workflow was terminated: started again';
    expect(healed).toEqual([{ ...a, isHealed: true, why }]);
    expect(workflows.told).toEqual(['life of machine/pool-a at 7']);
    expect(workflows.lives).toMatchObject([{ node: { metadata: { name: 'pool-a' } } }]);
    expect(world.control.bodies).toContainEqual(
      expect.objectContaining({ reason: 'WorkflowRestored', message: why }),
    );
  });

  test.each([
    { code: 0, reason: 'Unreachable' },
    { code: 500, reason: 'InternalError' },
  ])('starts a machine also while its Node cannot be read: $reason', async (fault) => {
    const machine = aMachine({ metadata: { labels: { node: 'pool-a' } } });
    const { workflows, world } = aBoardAndWorld(machine);
    workflows.ends = { 'machine/pool-a': 'was terminated' };
    world.target.fault = () => fault;
    const healed = await repairWorkflows(world, { namespace, unattended: [a], leftOver: [] });
    expect(healed).toMatchObject([{ ...a, isHealed: true }]);
    expect(workflows.lives).toMatchObject([{ kind: 'machine', isNodeUnknown: true }]);
  });

  test('writes no Event while no watcher leads', async () => {
    const { workflows, world } = aBoardAndWorld(aMachine());
    workflows.ends = { 'machine/pool-a': 'was terminated' };
    const alone = { ...world, activeWatcher: { isActive: () => false } };
    const healed = await repairWorkflows(alone, { namespace, unattended: [a], leftOver: [] });
    expect(healed).toMatchObject([{ isHealed: true }]);
    expect(world.control.writes()).toEqual([]);
  });

  test.each([
    { name: 'never revives what is gone by now', objects: [], ends: { 'machine/pool-a': 'x' } },
    { name: 'leaves a workflow alone that runs by now', objects: [aMachine()], ends: {} },
  ])('$name', async ({ objects, ends }) => {
    const { workflows, world } = aBoardAndWorld(...objects);
    workflows.ends = ends;
    expect(await repairWorkflows(world, { namespace, unattended: [a], leftOver: [] })).toEqual([]);
    expect(workflows.told).toEqual([]);
  });

  test('tells a workflow that its object is gone, but not one whose object is there', async () => {
    const { workflows, world } = aBoardAndWorld(aMachine());
    const gone: WorkflowRef = { kind: 'machine', name: 'pool-z' };
    const healed = await repairWorkflows(world, { namespace, unattended: [], leftOver: [gone, a] });
    expect(healed).toEqual([{ ...gone, isHealed: true, why: 'its object is gone: signalled' }]);
    expect(workflows.told).toEqual(['death of machine/pool-z at 7']);
  });

  test('of one that fails does not keep the others waiting', async () => {
    const { workflows, world } = aBoardAndWorld(aMachine());
    workflows.ends = { 'machine/pool-a': 'was terminated' };
    workflows.fails = true;
    const gone: WorkflowRef = { kind: 'machineSet', name: 'old' };
    const healed = await repairWorkflows(world, { namespace, unattended: [a], leftOver: [gone] });
    expect(healed).toEqual([
      { ...a, isHealed: false, why: 'Temporal is away' },
      { ...gone, isHealed: true, why: 'its object is gone: signalled' },
    ]);
  });
});

describe('what a restored workflow is told', () => {
  const where = { namespace, cluster: 'c', epoch: 7 };
  const namesOf = (living: Living) =>
    lifeSignals(living, where).map(({ name, kind, object, start }) => ({
      said: `${name} ${kind}/${object}`,
      starts: start !== undefined,
    }));

  test('is its object and, of a machine, its Node', () => {
    const object = aMachine({ phase: 'Running', metadata: { labels: { node: 'pool-a' } } });
    const started = { said: 'machineObserved machine/pool-a', starts: true };
    const told = { said: 'nodeObserved machine/pool-a', starts: false };
    expect(namesOf({ kind: 'machine', object, node: aNode() })).toEqual([started, told]);
    expect(namesOf({ kind: 'machine', object })).toEqual([started, told]);
    expect(namesOf({ kind: 'machine', object, isNodeUnknown: true })).toEqual([started]);
  });

  test('names the MachineDeployment of the machine, so that the search finds it', () => {
    const by = { apiVersion: 'machine.sapcloud.io/v1alpha1', uid: 'u', controller: true };
    const owner = { ...by, kind: 'MachineDeployment', name: 'pool' };
    const set = aMachineSet({ metadata: { ownerReferences: [owner] } });
    const ownedBySet = { ...by, kind: 'MachineSet', name: set.metadata.name };
    const object = aMachine({ metadata: { ownerReferences: [ownedBySet] } });
    const [started] = lifeSignals({ kind: 'machine', object, set }, where);
    expect(started?.start).toMatchObject({ machineDeployment: 'pool' });
  });

  test('is only for the workflow itself', () => {
    const started = { said: 'machineSetObserved machineSet/pool', starts: true };
    expect(namesOf({ kind: 'machineSet', object: aMachineSet() })).toEqual([started]);
    const object = aMachineDeployment();
    expect(namesOf({ kind: 'machineDeployment', object })).toEqual([
      { said: `machineDeploymentObserved machineDeployment/${object.metadata.name}`, starts: true },
    ]);
  });

  test('goes by the ids of our namespace', () => {
    const shoot = { namespace: 'shoot', identity: {} };
    expect(refOf('machine/shoot/pool-a', shoot)).toEqual(a);
    expect(refOf('machine/other/pool-a', shoot)).toBeUndefined();
    expect(refOf('machineClass/shoot/small', shoot)).toBeUndefined();
    expect(refOf('machine/shoot/pool-a/x', shoot)).toBeUndefined();
    const named = { namespace: 'shoot', identity: { clusterName: 'eu' } };
    expect(refOf('machine/eu/shoot/pool-a', named)).toEqual(a);
    expect(refOf('machine/shoot/pool-a', named)).toBeUndefined();
    expect(refOf('machine/us/shoot/pool-a', named)).toBeUndefined();
  });
});
