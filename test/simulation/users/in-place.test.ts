import { customResource } from '../../../kube/client/paths.ts';
import { calm } from '../world/weather.ts';
import { userActions, userNames } from './actions.ts';
import { bareWorld } from './bare-world.ts';
import { hasPoolsInPlace, isInPlace, isManual } from './in-place.ts';
import type { Found } from './kubectl.ts';
import { setUpObjects } from './set-up.ts';
import { Users } from './users.ts';
import { faultsIn } from './valid-objects.ts';

function poolsOf(seed: number): Found[] {
  const world = bareWorld(seed, calm);
  setUpObjects(world, { machines: 24 });
  expect(world.installs.flatMap(faultsIn)).toEqual([]);
  return world.installs.flatMap(({ control, namespace }) => {
    const path = customResource('machinedeployments', namespace);
    const { items = [] }: { items?: Found[] } = control.server.get(path);
    return items;
  });
}

const seeds = Array.from({ length: 60 }, (_, seed) => seed);
const stops = ({ metadata }: Found): boolean =>
  metadata.annotations?.['millwright.dev/in-place-failure'] !== 'replace';

test('some worlds have pools of each kind, beside others', () => {
  const pools = seeds.filter(hasPoolsInPlace).flatMap(poolsOf);
  const inPlace = pools.filter(isInPlace);
  expect(inPlace.length).toBeGreaterThan(20);
  expect(pools.length).toBeGreaterThan(inPlace.length);
  for (const is of [isManual, stops]) {
    expect(inPlace.some(is)).toBe(true);
    expect(inPlace.every(is)).toBe(false);
  }
});

test('the others have none', () => {
  const others = seeds.filter((seed) => !hasPoolsInPlace(seed));
  expect(others.length).toBeGreaterThan(20);
  expect(others.flatMap(poolsOf).filter(isInPlace)).toEqual([]);
});

/** Of an action that each world has. */
async function momentsOf(seed: number, names: readonly string[]): Promise<number[]> {
  const world = bareWorld(seed, calm);
  const repositories = setUpObjects(world, { machines: 24 });
  new Users(world, { repositories, names }).start();
  await world.simulation.run(world.simulation.now + 12 * 3_600_000);
  return world.simulation.timeline.notes
    .filter(({ what }) => what.startsWith('scale:'))
    .map(({ at }) => at);
}

test('users of such pools do nothing in other worlds, and the others as much as before', async () => {
  const seed = seeds.find((one) => !hasPoolsInPlace(one)) ?? 0;
  const own = userNames.filter((name) => userActions[name]?.isOfInPlace);
  expect(own.length).toBeGreaterThan(3);
  const moments = await momentsOf(seed, ['scale', ...own]);
  expect(moments.length).toBeGreaterThan(10);
  expect(moments).toEqual(await momentsOf(seed, ['scale']));
});
