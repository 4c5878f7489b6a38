import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { apiVersion } from '../../../workflows/api/constants.ts';
import { calm } from '../world/weather.ts';
import type { World } from '../world/world.ts';
import { userActions, userNames } from './actions.ts';
import { deadlock } from './actions/nodes.ts';
import { bareWorld, workOn } from './bare-world.ts';
import type { Found } from './kubectl.ts';
import { secretMarker } from './objects.ts';
import { setUpObjects } from './set-up.ts';
import { isDeleting, isTrue } from './user.ts';
import { Users } from './users.ts';
import { faultsIn } from './valid-objects.ts';
import type { Workloads } from './workloads.ts';

const minuteMs = 60_000;

/** Pods are not what is tested here: what users ask for goes into the timeline alone. */
function noPods({ simulation }: World): Workloads {
  return {
    add: ({ name, replicas }) => simulation.note('user', `wants ${replicas} pods of ${name}`),
    remove: ({ name }) => simulation.note('user', `wants no pods of ${name}`),
  };
}

function prepared(seed: number, names?: readonly string[]): { world: World; users: Users } {
  const world = bareWorld(seed, calm);
  const repositories = setUpObjects(world, { machines: 24 });
  workOn(world);
  const workloads = noPods(world);
  const users = new Users(world, { repositories, workloads, ...(names && { names }) });
  return { world, users };
}

function writesIn({ simulation }: World): string[] {
  return simulation.timeline.lines(['user']);
}

/** So many times one kind of action, a minute apart, in a world that controllers work on. */
async function repeat(
  name: string,
  times: number,
  check: (users: Users) => void = () => undefined,
): Promise<{ world: World; users: Users }> {
  const { world, users } = prepared(1);
  const [first, second] = users.usersFor(name);
  for (let time = 0; time < times; time += 1) {
    const user = time % 2 === 0 ? first : second;
    // Rejects where an action has a defect, which fails the test.
    if (user) void userActions[name]?.act(user);
    await world.simulation.run(world.simulation.now + minuteMs);
    check(users);
    if (time % 5 === 0) workOn(world);
  }
  return { world, users };
}

describe('the objects that a world begins with', () => {
  test('are valid, and about as many as asked for', () => {
    const world = bareWorld(1, calm);
    const repositories = setUpObjects(world, { machines: 50 });
    expect(world.installs.flatMap(faultsIn)).toEqual([]);
    const replicas = Array.from(
      repositories.values(),
      ({ machinedeployments, machinesets, machines }) =>
        [...machinedeployments.values(), ...machinesets.values()].reduce(
          (sum, { spec }) => sum + Number(Object(spec).replicas),
          machines.size,
        ),
    );
    expect(replicas).toEqual([25, 25]);
  });

  test('have a marker in each value of a Secret', () => {
    const world = bareWorld(1, calm);
    setUpObjects(world, { machines: 5 });
    const [install] = world.installs;
    const list: { items?: { data: Record<string, string> }[] } = Object(
      install?.control.server.get(namespaced('secrets', install.namespace)),
    );
    const values = (list.items ?? []).flatMap(({ data }) => Object.values(data));
    expect(values.length).toBeGreaterThanOrEqual(3);
    for (const value of values) {
      expect(Buffer.from(value, 'base64').toString()).toContain(secretMarker);
    }
  });
});

describe.each(userNames)('%s', (name) => {
  test('200 times: writes something, leaves valid objects, and no obstacle after tidyUp', async () => {
    const { world, users } = await repeat(name, 200);
    expect(writesIn(world).length).toBeGreaterThan(10);
    expect(world.installs.flatMap(faultsIn)).toEqual([]);
    world.weather.clear();
    users.tidyUp();
    expect(users.obstacles.map(({ what }) => what)).toEqual([]);
    expect(world.installs.flatMap(faultsIn)).toEqual([]);
    await world.simulation.run(world.simulation.now + 30 * minuteMs);
    expect(users.obstacles.map(({ what }) => what)).toEqual([]);
  });
});

async function fingerprintOf(seed: number, names?: readonly string[]): Promise<string> {
  const { world, users } = prepared(seed, names);
  users.start();
  for (let round = 0; round < 12; round += 1) {
    await world.simulation.run(world.simulation.now + 10 * minuteMs);
    workOn(world);
  }
  expect(writesIn(world).length).toBeGreaterThan(50);
  return world.simulation.timeline.fingerprint;
}

test.each([
  ['stop', 'a stop of'],
  ['pause', 'is paused'],
  ['breakSpec', 'selects all'],
  ['rollInPlace', 'selects its Nodes by hand'],
  ['setRolloutOption', 'millwright.dev/canary'],
  ['editInPlace', 'has no health timeout'],
  ['editStrategy', 'preserves Failed machines'],
  ['breakClass', 'is wrong'],
  ['deleteClass', 'is missing'],
  ['editSecret', 'is missing'],
  ['freezeSet', 'is frozen'],
  ['holdWithFinalizer', 'of another program'],
  ['preserve', 'is preserved'],
  ['createMachine', 'has failed'],
  ['cordon', 'is cordoned'],
  ['taintNode', 'keeps pods out'],
  ['takeOverSets', 'has a deadlock'],
  ['addBudget', 'allows no eviction'],
  ['annotateOwner', 'millwright.dev/canari'],
  ['writePolicy', 'is open too rarely'],
  ['writePolicy', 'lets too few machines go'],
])('%s puts an obstacle that is found: %s', async (name, what) => {
  const seen = new Set<string>();
  await repeat(name, 60, (users) => {
    for (const obstacle of users.obstacles) seen.add(obstacle.what);
  });
  expect(Array.from(seen).join()).toContain(what);
});

/** Of the action `scaleToZero`. */
async function momentsOf(names: readonly string[]): Promise<string[]> {
  const { world, users } = prepared(3, names);
  users.start();
  await world.simulation.run(world.simulation.now + 24 * 60 * minuteMs);
  return world.simulation.timeline.notes
    .filter(({ what }) => what.startsWith('scaleToZero:'))
    .map(({ at, what }) => `${at} ${what}`);
}

describe('all actions together', () => {
  test('are the same for a seed, and others for another one', async () => {
    const [first, again, other] = [
      await fingerprintOf(1),
      await fingerprintOf(1),
      await fingerprintOf(2),
    ];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test('come at the same moments without one of them', async () => {
    const withAll = await momentsOf(userNames);
    expect(withAll.length).toBeGreaterThan(3);
    expect(await momentsOf(userNames.filter((name) => name !== 'stop'))).toEqual(withAll);
  });

  test('end when the weather clears', async () => {
    const { world, users } = prepared(4);
    users.start();
    await world.simulation.run(world.simulation.now + 30 * minuteMs);
    world.weather.clear();
    const { length } = writesIn(world);
    await world.simulation.run(world.simulation.now + 60 * minuteMs);
    expect(writesIn(world)).toHaveLength(length);
  });
});

test('several Machines are given up, once their cluster has been away for minutes', async () => {
  const { world, users } = prepared(1);
  const user = users.usersFor('giveUpMachines')[1];
  if (!user) throw new Error('the second install has no user');
  const goingAfter = async (minutes: number): Promise<number> => {
    await world.simulation.run(world.simulation.now + minutes * minuteMs);
    return user.all('machines').filter(({ object }) => isDeleting(object)).length;
  };
  void userActions['giveUpMachines']?.act(user);
  expect(await goingAfter(5)).toBe(0);
  user.install.target.isUp = false;
  expect(await goingAfter(8)).toBeGreaterThan(1);
});

test('Nodes are mended while the control plane is away, and their Machines kept until then', async () => {
  const { world, users } = prepared(1);
  const user = users.usersFor('keepIllNodes')[1];
  if (!user) throw new Error('the second install has no user');
  const ill = (): number => user.target.list('/api/v1/nodes').filter(isDeadlocked).length;
  const kept = (): number => user.all('machines').filter(({ object }) => isKept(object)).length;
  void userActions['keepIllNodes']?.act(user);
  const passUntil = (isOver: () => boolean) =>
    world.simulation.run(world.simulation.now + 20 * minuteMs, isOver);
  await passUntil(() => ill() > 0);
  expect(kept()).toBeGreaterThan(0);
  const count = kept();
  await passUntil(() => ill() === 0);
  expect(user.install.control.isUp).toBe(false);
  await passUntil(() => user.install.control.isUp);
  expect(kept()).toBe(count);
});

const isDeadlocked = (node: Found): boolean => isTrue(node, deadlock);

const isKept = ({ metadata }: Found): boolean =>
  metadata.annotations?.['node.machine.sapcloud.io/preserve'] === 'now';

test('machines of a class go while it is wrong, and it is put right later', async () => {
  const { world, users } = prepared(1);
  const [user] = users.usersFor('moveCredentials');
  if (!user) throw new Error('the first install has no user');
  void userActions['moveCredentials']?.act(user);
  await world.simulation.run(world.simulation.now + 2 * minuteMs);
  const wrong = (): number =>
    users.obstacles.filter(({ what }) => what.includes('is wrong')).length;
  expect(wrong()).toBe(1);
  expect(user.all('machines').filter(({ object }) => isDeleting(object)).length).toBeGreaterThan(0);
  await world.simulation.run(world.simulation.now + 15 * minuteMs);
  expect(wrong()).toBe(0);
});

test('deleteGuarded: a Machine is deleted while a policy refuses every patch of its Node', async () => {
  const { world, users } = prepared(1);
  const user = users.usersFor('deleteGuarded')[1];
  if (!user) throw new Error('the second install has no user');
  void userActions['deleteGuarded']?.act(user);
  await world.simulation.run(world.simulation.now + minuteMs);
  const going = user.all('machines').filter(({ object }) => isDeleting(object));
  const refuses = (name: string): boolean =>
    user.target.patch(`/api/v1/nodes/${name}`, { metadata: {} }) === undefined;
  const guarded = user.all('machines').filter(({ name }) => refuses(name));
  expect(going).toHaveLength(1);
  expect(guarded.map(({ name }) => name)).toEqual(going.map(({ name }) => name));
});

test('workers are restarted one after the other, and pools are scaled', async () => {
  const { world, users } = prepared(1);
  const [user] = users.usersFor('upgradeWorkers');
  if (!user) throw new Error('the first install has no user');
  const before = user.install.replicas.map(({ process }) => process);
  void userActions['upgradeWorkers']?.act(user);
  await world.simulation.run(world.simulation.now + 5 * minuteMs);
  const after = user.install.replicas.map(({ process }) => process);
  expect(after.map((process, index) => process === before[index])).toEqual([true, false]);
  expect(writesIn(world).join()).toContain('replicas');
});

test('a Machine without an owner that failed after they tidied up is deleted by its user', () => {
  const { world, users } = prepared(1);
  const [user] = users.usersFor('createMachine');
  if (!user) throw new Error('the first install has no user');
  world.weather.clear();
  users.tidyUp();
  const lone = {
    apiVersion,
    kind: 'Machine',
    metadata: { name: 'lone', namespace: user.namespace },
  };
  user.control.create(customResource('machines', user.namespace), lone);
  const living = (): string[] =>
    user.all('machines').flatMap(({ object, name }) => (isDeleting(object) ? [] : [name]));
  const before = living();
  const failed = { status: { currentStatus: { phase: 'Failed' } } };
  for (const { path } of user.all('machines')) {
    user.install.control.server.patch(`${path}/status`, { type: 'merge', body: failed });
  }
  users.tidyUpLate();
  expect(before).toContain('lone');
  expect(living()).toEqual(before.filter((name) => name !== 'lone'));
});

test('an action that does not exist is refused', () => {
  expect(() => prepared(1, ['dance'])).toThrow('action "dance": must be one of scale, ');
});
