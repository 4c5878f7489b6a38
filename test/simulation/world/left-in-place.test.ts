import { customResource } from '../../../kube/client/paths.ts';
import { SimulatedCloud } from '../cloud/cloud.ts';
import { bareWorld } from '../users/bare-world.ts';
import { hasPoolsInPlace } from '../users/in-place.ts';
import type { Found } from '../users/kubectl.ts';
import { setUpObjects } from '../users/set-up.ts';
import { faultsIn } from '../users/valid-objects.ts';
import { leavePool } from './left-in-place.ts';
import { calm } from './weather.ts';

function leftIn(seed: number) {
  const world = bareWorld(seed, calm);
  setUpObjects(world, { machines: 4 });
  const cloud = new SimulatedCloud(world.simulation);
  const started: string[] = [];
  const kubelets = { of: ({ name }: { name: string }) => ({ start: () => started.push(name) }) };
  leavePool(world, { cloud, kubelets });
  const machines = world.installs.flatMap(({ control, target, namespace }) => {
    const list: { items?: Found[] } = control.server.get(customResource('machines', namespace));
    const left = (list.items ?? []).filter(({ metadata }) => metadata.name.startsWith('left-'));
    return left.map((machine) => {
      const node: Found = Object(target.server.get(`/api/v1/nodes/${machine.metadata.name}`));
      return { machine, node };
    });
  });
  return { world, machines, cloud, started };
}

const reasonOf = ({ status }: Found): string =>
  Object(status)['conditions'].find(({ type }: { type: string }) => type === 'InPlaceUpdate')
    ?.reason ?? '';

test('a pool is left at each step of an update, with instances and Nodes', () => {
  const worlds = Array.from({ length: 200 }, (_, seed) => seed)
    .filter(hasPoolsInPlace)
    .map(leftIn);
  const all = worlds.flatMap(({ machines }) => machines);
  expect(worlds.some(({ machines }) => machines.length === 0)).toBe(true);
  expect(new Set(all.map(({ node }) => reasonOf(node)))).toEqual(
    new Set([
      '',
      'CandidateForUpdate',
      'SelectedForUpdate',
      'DrainSuccessful',
      'ReadyForUpdate',
      'UpdateSuccessful',
      'UpdateFailed',
    ]),
  );
  for (const { machine, node } of all) {
    expect(reasonOf(machine)).toBe(reasonOf(node));
    expect(machine.spec?.['providerID']).toBe(node.spec?.['providerID']);
  }
  for (const { world, cloud, started } of worlds) {
    expect(world.installs.flatMap(faultsIn)).toEqual([]);
    expect(started).toEqual(cloud.records.map(({ name }) => name));
  }
});

test('worlds without pools that are updated in place have none', () => {
  const others = Array.from({ length: 20 }, (_, seed) => seed).filter(
    (seed) => !hasPoolsInPlace(seed),
  );
  for (const seed of others) expect(leftIn(seed).machines).toEqual([]);
});
