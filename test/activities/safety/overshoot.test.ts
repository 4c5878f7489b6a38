import { namespaced } from '../../../kube/client/paths.ts';
import { applyFreezes } from '../../../activities/safety/freeze.ts';
import { checkOvershoot } from '../../../activities/safety/overshoot.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Freeze } from '../../../workflows/plan/safety/overshoot.ts';
import { planFreezes } from '../../../workflows/plan/safety/overshoot.ts';
import { aMachine, aMachineDeployment, aMachineSet, namespace } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';

const check = { namespace, up: 2, down: 1 };
const setPath = `/apis/machine.sapcloud.io/v1alpha1/namespaces/${namespace}/machinesets/pool`;
const deploymentPath = `/apis/machine.sapcloud.io/v1alpha1/namespaces/${namespace}/machinedeployments/workers`;

const owner = (kind: string, name: string) => [
  {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind,
    name,
    uid: `uid-of-${name}`,
    controller: true,
  },
];

function machinesOf(set: string, count: number, changes: object = {}): object[] {
  return Array.from({ length: count }, (_, index) =>
    aMachine({
      metadata: {
        name: `${set}-${index}`,
        labels: { pool: 'a' },
        ownerReferences: owner('MachineSet', set),
        ...changes,
      },
    }),
  );
}

const look = (...control: object[]) => checkOvershoot(aWorld({ control }), check);

describe('the count of a set', () => {
  const set = aMachineSet({ spec: { replicas: 1 } });

  test('is that of the machines that it controls and that fit its template', async () => {
    const { sets, total } = await look(
      set,
      ...machinesOf('pool', 4),
      ...machinesOf('pool', 3, { name: 'other', labels: {} }),
      ...machinesOf('neighbour', 5),
    );
    expect(total).toBe(1);
    expect(sets).toMatchObject([{ name: 'pool', count: 4, limit: 4, isFrozen: false }]);
  });

  test('leaves out machines that go away, so that a scale-down is none', async () => {
    const going = machinesOf('pool', 9, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect((await look(set, ...going)).sets).toEqual([]);
  });

  test.each([
    { observedGeneration: 0, is: { isBehind: true } },
    { observedGeneration: 1, is: {} },
  ])(
    'says whether a set of generation 1 is behind with observedGeneration $observedGeneration',
    async ({ observedGeneration, is }) => {
      const changed = aMachineSet({
        spec: { replicas: 1 },
        status: { observedGeneration },
      });
      const [facts] = (await look(changed, ...machinesOf('pool', 4))).sets;
      expect(facts).toMatchObject({ name: 'pool', count: 4, ...is });
      expect('isBehind' in (facts ?? {})).toBe('isBehind' in is);
    },
  );

  test('the count of a set that cannot be judged does not hide the others', async () => {
    const bad = aMachineDeployment({
      metadata: { name: 'bad', uid: 'uid-of-bad' },
      spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 'many' } } },
    });
    const ofBad = aMachineSet({
      metadata: { name: 'a-bad', uid: 'x', ownerReferences: owner('MachineDeployment', 'bad') },
    });
    const found = await look(bad, ofBad, set, ...machinesOf('pool', 4));
    expect(found.unchecked).toMatchObject([{ name: 'a-bad' }]);
    expect(found.sets).toMatchObject([{ name: 'pool' }]);
  });

  test('of a frozen deployment that cannot be judged, nothing is thawed', async () => {
    const labels = { freeze: 'True' };
    const unfreeze = { 'safety.machine.sapcloud.io/unfreeze': 'True' };
    const bad = aMachineDeployment({
      metadata: { name: 'bad', uid: 'uid-of-bad', labels, annotations: unfreeze },
      spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 'many' } } },
    });
    const ofBad = aMachineSet({
      metadata: { uid: 'x', labels, ownerReferences: owner('MachineDeployment', 'bad') },
    });
    const found = await look(bad, ofBad);
    expect(found.unchecked).toMatchObject([{ name: 'pool' }]);
    expect(planFreezes({ first: found, second: found }, check)).toEqual([]);
  });

  test('finds nothing new while everything is stopped', async () => {
    const stop = { current: () => ({ uid: 's', reason: 'r', since: 0 }) };
    const control = [set, ...machinesOf('pool', 9)];
    expect((await checkOvershoot(aWorld({ control, stop }), check)).sets).toEqual([]);
  });

  test('finds nothing new while no watcher leads, and just after a pause', async () => {
    const control = [set, ...machinesOf('pool', 9)];
    const activeWatcher = { isActive: () => false };
    expect((await checkOvershoot(aWorld({ control, activeWatcher }), check)).sets).toEqual([]);
    const now = Date.now();
    const pause = { reason: 'worker', from: now - 90_000, until: now - 30_000 } as const;
    const recent = aWorld({ control, pauses: () => [pause] });
    expect((await checkOvershoot(recent, check)).sets).toEqual([]);
    const old = { ...pause, until: now - 70_000 };
    const later = aWorld({ control, pauses: () => [old] });
    expect((await checkOvershoot(later, check)).sets).toMatchObject([{ name: 'pool' }]);
  });
});

describe('a freeze', () => {
  const freeze: Freeze = {
    kind: 'machineSet',
    name: 'pool',
    action: 'freeze',
    reason: 'OverShootingReplicaCount',
    why: '6 machines, allowed are fewer than 6',
  };
  const thaw: Freeze = { ...freeze, action: 'unfreeze', why: 'asked for by annotation' };
  const unfreeze = 'safety.machine.sapcloud.io/unfreeze';

  test('is a label, a condition and an Event; a thaw takes back what it can', async () => {
    const failure = { type: 'ReplicaFailure', status: 'True' as const };
    const set = aMachineSet({
      metadata: { annotations: { [unfreeze]: 'True' } },
      status: { machineSetCondition: [failure] },
    });
    const world = aWorld({ control: [set] });
    expect(await applyFreezes(world.control, { namespace, freezes: [freeze] })).toEqual([freeze]);
    const frozen = await world.control.read<MachineSet>(setPath);
    expect(frozen.metadata.labels).toMatchObject({ freeze: 'True' });
    expect(frozen.status?.machineSetCondition).toMatchObject([
      failure,
      { type: 'Frozen', status: 'True', reason: 'OverShootingReplicaCount' },
    ]);
    await applyFreezes(world.control, { namespace, freezes: [thaw] });
    const thawed = await world.control.read<MachineSet>(setPath);
    expect(thawed.metadata).not.toHaveProperty('labels');
    expect(thawed.metadata).not.toHaveProperty('annotations');
    expect(thawed.status?.machineSetCondition).toEqual([failure]);
    const reasons = world.control.bodies.map((body) => Object(body).reason);
    expect(reasons.filter(Boolean)).toEqual(['FrozeMachineSet', 'UnfrozeMachineSet']);
    const { items } = await world.control.list<object>(namespaced('events', namespace));
    const source = { component: 'machine-controller-manager' };
    expect(items).toMatchObject([{ source }, { source }]);
  });

  test('of a deployment has no Event', async () => {
    const world = aWorld({ control: [aMachineDeployment()] });
    const freezes: Freeze[] = [{ ...freeze, kind: 'machineDeployment', name: 'workers' }];
    await applyFreezes(world.control, { namespace, freezes });
    const { status } = await world.control.read<MachineDeployment>(deploymentPath);
    expect(status?.conditions).toMatchObject([
      { type: 'Frozen', status: 'True' },
      { type: 'Stalled', status: 'True', reason: 'Frozen' },
    ]);
    expect(world.control.writes().filter((call) => call.includes('events'))).toEqual([]);
  });

  test('reads again when the owner wrote the status meanwhile', async () => {
    const world = aWorld({ control: [aMachineSet()] });
    let conflicts = 2;
    world.control.fault = ({ path }) => {
      if (!path.endsWith('/status') || conflicts === 0) return undefined;
      conflicts -= 1;
      return { code: 409, reason: 'Conflict' };
    };
    expect(await applyFreezes(world.control, { namespace, freezes: [freeze] })).toEqual([freeze]);
  });

  test('a freeze that fails does not keep the others waiting', async () => {
    const world = aWorld({ control: [aMachineSet(), aMachineSet({ metadata: { name: 'b' } })] });
    world.control.fault = ({ path }) =>
      path.endsWith('/pool') ? { code: 403, reason: 'Forbidden', message: 'no' } : undefined;
    const freezes = [freeze, { ...freeze, name: 'b' }];
    const [first, second] = await applyFreezes(world.control, { namespace, freezes });
    expect(first?.error).toContain('no');
    expect(second).toEqual({ ...freeze, name: 'b' });
  });
});
