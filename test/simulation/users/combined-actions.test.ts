/** Actions that do several things in a row, as a person does: each leaves what it is for. */
import { expect, test } from 'vitest';
import { calm } from '../world/weather.ts';
import type { World } from '../world/world.ts';
import { userActions } from './actions.ts';
import { otherFinalizer } from './actions/finalizers.ts';
import { bareWorld, workOn } from './bare-world.ts';
import type { Found } from './kubectl.ts';
import { poolLabel } from './objects.ts';
import { setUpObjects } from './set-up.ts';
import { isDeleting } from './user.ts';
import type { User } from './user.ts';
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

test('refillPaused: an empty pool gets its template in a pause, and its machines before the end', async () => {
  const stage = begin('refillPaused');
  const { control } = stage.user;
  await stage.pass(3);
  const pools = () => stage.user.all('machinedeployments');
  const [picked] = pools().filter(({ object }) => object.spec?.['replicas'] === 0);
  expect(picked?.object.spec?.['paused']).toBeUndefined();
  for (const { path, object } of stage.user.all('machines')) {
    if (object.metadata.labels?.[poolLabel] !== picked?.name) continue;
    control.patch(path, { metadata: { finalizers: null } });
    control.delete(path);
  }
  await stage.pass(7);
  const refilled = control.get(picked?.path ?? '');
  expect(refilled?.spec).toMatchObject({
    paused: true,
    template: { metadata: { labels: { version: expect.any(String) } } },
  });
  expect(refilled?.spec?.['replicas']).toBeGreaterThan(0);
  await stage.pass(45);
  expect(control.get(picked?.path ?? '')?.spec?.['paused']).toBeUndefined();
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
