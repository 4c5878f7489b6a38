import { customResource } from '../../../kube/client/paths.ts';
import { SimulatedCloud } from '../cloud/cloud.ts';
import { bareWorld } from '../users/bare-world.ts';
import type { Found } from '../users/kubectl.ts';
import { setUpObjects } from '../users/set-up.ts';
import { leaveMachines } from './left-by-mcm.ts';
import { calm } from './weather.ts';

function leftIn(seed: number): { found: Found[]; cloud: SimulatedCloud } {
  const world = bareWorld(seed, calm);
  setUpObjects(world, { machines: 4 });
  const cloud = new SimulatedCloud(world.simulation);
  leaveMachines(world, cloud);
  const found = world.installs.flatMap(({ control, namespace }) => {
    const list: { items?: Found[] } = control.server.get(customResource('machines', namespace));
    return (list.items ?? []).filter(({ metadata }) => metadata.name.startsWith('left-'));
  });
  return { found, cloud };
}

const phaseOf = ({ status }: Found): string => Object(status?.['currentStatus']).phase ?? '';

test('some worlds begin with Machines of MCM, each with its instance', () => {
  const worlds = Array.from({ length: 40 }, (_, seed) => leftIn(seed));
  expect(worlds.some(({ found }) => found.length === 0)).toBe(true);
  for (const { found, cloud } of worlds) {
    const named = found.map(({ spec }) => spec?.['providerID']);
    expect(named).toHaveLength(cloud.records.length);
    expect(new Set(named)).toEqual(new Set(cloud.records.map((one) => one.providerID)));
  }
  const phases = new Set(worlds.flatMap(({ found }) => found.map(phaseOf)));
  expect(phases).toEqual(new Set(['', 'CrashLoopBackOff', 'Pending']));
});

test('in none of them a Machine waits for the Node of an instance that is not initialised', () => {
  const worlds = Array.from({ length: 60 }, (_, seed) => leftIn(seed));
  const raw = worlds.flatMap(({ found, cloud }) =>
    cloud.records
      .filter(({ isInitialized }) => !isInitialized)
      .flatMap(({ providerID }) => found.filter(({ spec }) => spec?.['providerID'] === providerID)),
  );
  expect(raw.length).toBeGreaterThan(3);
  expect(raw.map(phaseOf)).not.toContain('Pending');
});
