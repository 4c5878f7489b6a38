/** Actions that do several things in a row, as a person does: each leaves what it is for. */
import { annotations as keys } from '../../../workflows/api/constants.ts';
import { calm } from '../world/weather.ts';
import type { World } from '../world/world.ts';
import { userActions } from './actions.ts';
import { otherFinalizer } from './actions/finalizers.ts';
import { bareWorld, workOn } from './bare-world.ts';
import type { Found } from './kubectl.ts';
import { poolLabel } from './objects.ts';
import { setUpObjects } from './set-up.ts';
import { isDeleting, isOwnedBy } from './user.ts';
import type { Picked, User } from './user.ts';
import { Users } from './users.ts';

const minuteMs = 60_000;

interface Stage {
  world: World;
  user: User;
  pass(minutes: number): Promise<void>;
}

/** The user of the first install begins the action. */
function begin(action: string, seed = 1): Stage {
  const world = bareWorld(seed, calm);
  const repositories = setUpObjects(world, { machines: 40 });
  workOn(world);
  // Pools have the label, as the templates of sets do.
  const [user] = new Users(world, { repositories }).usersFor(action);
  if (!user) throw new Error('there is no user');
  void userActions[action]?.act(user);
  return {
    world,
    user,
    pass: (minutes) => world.simulation.run(world.simulation.now + minutes * minuteMs),
  };
}

function notesOf({ world }: Stage): string[] {
  return world.simulation.timeline.lines(['user']);
}

function held({ user }: Stage): Found[] {
  return user
    .all('machines')
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.finalizers?.includes(otherFinalizer));
}

test('deleteHeldSet: a set goes, and one of its machines cannot for a quarter of an hour', async () => {
  const stage = begin('deleteHeldSet');
  await stage.pass(1);
  const going = stage.user.all('machinesets').filter(({ object }) => isDeleting(object));
  expect(going).toHaveLength(1);
  const uid = going[0]?.object.metadata.uid;
  expect(held(stage).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual([uid]);
  await stage.pass(13);
  expect(held(stage)).toHaveLength(1);
  await stage.pass(25);
  expect(held(stage)).toHaveLength(0);
});

test('scaleHeldRollout: some machines of the pool go meanwhile, and are held for minutes', async () => {
  const found: string[] = [];
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const stage = begin('scaleHeldRollout', seed);
    for (let minute = 0; minute < 8; minute += 1) {
      await stage.pass(1);
      const pools = held(stage).map(({ metadata }) => metadata.labels?.[poolLabel] ?? '');
      expect(new Set(pools).size).toBeLessThan(2);
      found.push(...pools);
    }
    await stage.pass(8);
    expect(held(stage)).toHaveLength(0);
  }
  expect(found.length).toBeGreaterThan(0);
});

function emptyPool({ user }: Stage): Picked {
  const pools = user.all('machinedeployments');
  const picked = pools.find(({ object }) => object.spec?.['replicas'] === 0);
  if (!picked) throw new Error('no pool has no replicas');
  return picked;
}

function removeMachines({ user }: Stage, pool: string): void {
  for (const { path, object } of user.all('machines')) {
    if (object.metadata.labels?.[poolLabel] !== pool) continue;
    user.control.patch(path, { metadata: { finalizers: null } });
    user.control.delete(path);
  }
}

test('refillPaused: an empty pool gets its template in a pause, and its machines before the end', async () => {
  const stage = begin('refillPaused');
  await stage.pass(3);
  const { path, name, object } = emptyPool(stage);
  expect(object.spec).not.toHaveProperty('paused');
  removeMachines(stage, name);
  await stage.pass(7);
  const { spec = {} } = stage.user.control.get(path) ?? {};
  const template = { metadata: { labels: { version: expect.any(String) } } };
  expect(spec).toMatchObject({ paused: true, template });
  expect(spec['replicas']).toBeGreaterThan(0);
  await stage.pass(45);
  expect(stage.user.control.get(path)?.spec).not.toHaveProperty('paused');
});

test('revertSet: a set takes over what its deployment says, and loses it again, also at once', async () => {
  const delaysMs: number[] = [];
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const stage = begin('revertSet', seed);
    const { control, install } = stage.user;
    await stage.pass(4);
    const [owner] = stage.user
      .all('machinedeployments')
      .filter(({ object }) => object.metadata.annotations?.['example.com/seen'] !== undefined);
    const [kept] = stage.user
      .all('machinesets')
      .filter(({ object }) => object.metadata.labels?.['example.com/kept-by'] !== undefined);
    if (!owner || !kept) throw new Error('nobody keeps the set of a deployment that changed');
    expect(isOwnedBy(kept.object, owner.object)).toBe(true);
    const { annotations } = owner.object.metadata;
    install.control.server.patch(kept.path, { type: 'merge', body: { metadata: { annotations } } });
    const writtenAt = stage.user.now;
    const isKept = (): boolean =>
      control.get(kept.path)?.metadata.annotations?.['example.com/seen'] === undefined;
    await stage.world.simulation.run(writtenAt + 50, isKept);
    expect(isKept()).toBe(true);
    delaysMs.push(stage.user.now - writtenAt);
  }
  expect(Math.min(...delaysMs)).toBe(0);
  expect(Math.max(...delaysMs)).toBeGreaterThan(0);
});

test('resizeUnderPolicy: something is refused while a size goes down, and up again', async () => {
  const refused = new Set<string>();
  for (let seed = 1; seed <= 12; seed += 1) {
    const stage = begin('resizeUnderPolicy', seed);
    const sizes = () => stage.user.all('machinedeployments').concat(stage.user.all('machinesets'));
    const before = new Map(sizes().map(({ path, object }) => [path, object.spec?.['replicas']]));
    await stage.pass(7);
    const [policy = ''] = notesOf(stage).filter((line) => line.includes('is refused with'));
    const kind = /(POST|PATCH|DELETE) \S*\/(machines|machinesets)\b\S*/.exec(policy);
    refused.add(`${kind?.[1]} ${kind?.[2]}`);
    const patches = notesOf(stage).filter((line) => line.includes('"replicas":'));
    const numbers = patches.map((line) => Number(/"replicas":(\d+)/.exec(line)?.[1]));
    const [path = ''] = [...before.keys()].filter((one) =>
      patches[0]?.includes(one.split('/').slice(-3).join('/')),
    );
    expect(numbers).toHaveLength(2);
    expect(numbers[0]).toBeLessThan(Number(before.get(path)));
    expect(numbers[1]).toBeGreaterThanOrEqual(Number(before.get(path)));
  }
  expect([...refused].toSorted()).toEqual([
    'DELETE machines',
    'PATCH machines',
    'PATCH machinesets',
    'POST machines',
  ]);
});

/** Which machines the autoscaler wants to go. */
function listIn(object?: Found): string {
  return object?.metadata.annotations?.[keys.triggerDeletion] ?? '';
}

test('autoscaleUnderFreeze: machines are named, and their set may not shrink for now', async () => {
  const stage = begin('autoscaleUnderFreeze');
  await stage.pass(0.5);
  const { control } = stage.user;
  const pool = stage.user.all('machinedeployments').find(({ object }) => listIn(object) !== '');
  const sets = stage.user.all('machinesets');
  const set = sets.find(({ object }) => pool && isOwnedBy(object, pool.object));
  const size = Number(set?.object.spec?.['replicas']);
  const { path = '' } = { ...set };
  expect(pool?.object.spec?.['replicas']).toBe(size - listIn(pool?.object).split(',').length);
  const shrink = () => control.patch(path, { spec: { replicas: size - 1 } });
  expect(shrink()).toBeUndefined();
  expect(control.patch(path, { spec: { replicas: size + 1 } })).toBeDefined();
  expect(control.patch(path, { metadata: { labels: { a: 'b' } } })).toBeDefined();
  await stage.pass(3);
  expect(shrink()).toBeDefined();
});

test('keepForInquiry: a Machine may not be deleted, and another of its set is', async () => {
  const stage = begin('keepForInquiry');
  const [policy = ''] = notesOf(stage).filter((line) => line.includes('is refused with'));
  const kept = /machines\/(\S+) is refused/.exec(policy)?.[1] ?? '';
  const machines = stage.user.all('machines');
  const owner = machines.find(({ name }) => name === kept)?.object.metadata.ownerReferences?.[0];
  const pathOfKept = machines.find(({ name }) => name === kept)?.path ?? '';
  expect(stage.user.control.delete(pathOfKept)).toBeUndefined();
  await stage.pass(15);
  const others = machines.filter(({ object, name }) => {
    return name !== kept && object.metadata.ownerReferences?.[0]?.uid === owner?.uid;
  });
  const gone = others.filter(({ path }) => {
    const now = stage.user.control.get(path);
    return !now || isDeleting(now);
  });
  expect(gone).toHaveLength(1);
});

test('incident: also a set without a deployment', async () => {
  const paths: string[] = [];
  for (let seed = 1; seed <= 8; seed += 1) {
    const stage = begin('incident', seed);
    await stage.pass(1);
    paths.push(...notesOf(stage).filter((line) => line.includes('"replicas":')));
  }
  expect(paths.filter((line) => line.includes('/machinesets/'))).not.toEqual([]);
  expect(paths.filter((line) => line.includes('/machinedeployments/'))).not.toEqual([]);
});
