import { customResource, lease } from '../../../kube/client/paths.ts';
import { ownLease } from '../../../kube/leases/lease-set.ts';
import { checkpointAnnotation } from '../../../kube/leases/lease-set.ts';
import { Chance } from '../engine/chance.ts';
import { SimulatedProcess } from '../engine/process.ts';
import { bareWorld, workOn } from '../users/bare-world.ts';
import { setUpObjects } from '../users/set-up.ts';
import { faultsIn } from '../users/valid-objects.ts';
import { disasterNames, faultNames, troubleOf } from '../world/trouble.ts';
import type { World } from '../world/world.ts';
import { disasters, startDisasters } from './disasters.ts';
import { replicasOf } from './processes.ts';

const minuteMs = 60_000;

function prepared(seed: number, names: readonly string[] = []): World {
  const world = bareWorld(seed, troubleOf(names));
  setUpObjects(world, { machines: 16 });
  workOn(world);
  return world;
}

/** How far the clocks of the processes are off, milliseconds. */
function skewsIn({ simulation, ...world }: World): number[] {
  return replicasOf({ simulation, ...world }).flatMap(({ process }) =>
    process ? Math.abs(process.system.now() - simulation.now) : [],
  );
}

function cutsIn(world: World): string[] {
  const servers = [...world.clusters.map(({ name }) => name), 'temporal', 'cloud'];
  return replicasOf(world).flatMap(({ name, process }) =>
    servers
      .filter((server) => process && world.weather.isCut(process, server))
      .map((server) => `${name} to ${server}`),
  );
}

describe.each(disasterNames)('%s', (name) => {
  test('200 times: does something, and is over when the weather clears', async () => {
    const world = prepared(1);
    const { simulation, weather } = world;
    const before = simulation.timeline.notes.length;
    const chance = new Chance(1);
    for (let time = 0; time < 200; time += 1) {
      disasters[name](world, chance);
      await simulation.run(simulation.now + minuteMs);
      if (time % 10 === 0) workOn(world);
    }
    expect(simulation.timeline.notes.length).toBeGreaterThan(before + 10);
    weather.clear();
    await simulation.run(simulation.now + 40 * minuteMs);
    expect(world.clusters.map(({ isUp }) => isUp)).toEqual([true, true]);
    expect(world.temporal.isUp).toBe(true);
    expect(cutsIn(world)).toEqual([]);
    expect(Math.max(...skewsIn(world))).toBeLessThan(1_000);
    expect(weather.refusalOf('PATCH /api/v1/nodes/a', 'seed')).toBeUndefined();
    expect(world.installs.flatMap(faultsIn)).toEqual([]);
    expect(simulation.violations).toEqual([]);
  });
});

async function notesOf(seed: number, names: readonly string[]): Promise<string[]> {
  const world = prepared(seed, names);
  startDisasters(world);
  await world.simulation.run(world.simulation.now + 12 * 60 * minuteMs);
  return world.simulation.timeline.lines();
}

const isOfWebhook = (line: string): boolean => line.includes('refuses');

describe('all disasters together', () => {
  test('are the same for a seed, and others for another one', async () => {
    const first = await notesOf(1, faultNames);
    expect(first.length).toBeGreaterThan(100);
    expect(await notesOf(1, faultNames)).toEqual(first);
    expect(await notesOf(2, faultNames)).not.toEqual(first);
  });

  test('come at the same moments without one of them', async () => {
    const withAll = (await notesOf(3, faultNames)).filter(isOfWebhook);
    expect(withAll.length).toBeGreaterThan(3);
    const others = faultNames.filter((name) => name !== 'compactions');
    expect((await notesOf(3, others)).filter(isOfWebhook)).toEqual(withAll);
  });

  test('are none in calm weather', async () => {
    expect(await notesOf(1, [])).toEqual(await notesOf(2, []));
  });
});

test('a cluster comes back from a restore with the objects of the backup', async () => {
  const world = prepared(1);
  const [install] = world.installs;
  const server = install?.control.server;
  const single = customResource('machines', 'garden-one', 'single-1');
  const restored: string[] = [];
  world.weather.onRestore((cluster) => restored.push(cluster));
  const [cluster] = world.clusters;
  if (!cluster) throw new Error('there is no cluster');
  disasters.clusterRestores({ ...world, clusters: [cluster] }, new Chance(1));
  server?.remove(single);
  expect(server?.has(single)).toBe(false);
  await world.simulation.run(world.simulation.now + 40 * minuteMs);
  expect(server?.has(single)).toBe(true);
  expect(restored).toEqual(['seed']);
});

test('of the sets that go unseen some stay away, but none that nothing makes again', async () => {
  const gone = new Set<string>();
  const back = new Set<string>();
  for (let seed = 1; seed <= 60; seed += 1) {
    const world = prepared(seed);
    disasters.unseenChanges(world, new Chance(seed));
    await world.simulation.run(world.simulation.now + 4 * minuteMs);
    const text = world.simulation.timeline.lines(['disaster']).join();
    const [, name, what] = /machinesets\/(\S+) (goes|is replaced) unseen/.exec(text) ?? [];
    if (name !== undefined) (what === 'goes' ? gone : back).add(name);
  }
  expect(gone.size).toBeGreaterThan(0);
  expect(gone).not.toContain('set-1');
  expect(back).toContain('set-1');
});

function checkpointIn({ installs: [install] }: World): unknown {
  if (!install) throw new Error('there is no install');
  const { control, namespace } = install;
  const found: { metadata?: { annotations?: Record<string, string> } } = control.server.get(
    lease(namespace, ownLease),
  );
  return found.metadata?.annotations?.[checkpointAnnotation];
}

function noteCheckpoint({ installs }: World): void {
  for (const { control, namespace } of installs) {
    const body = { metadata: { annotations: { [checkpointAnnotation]: '{}' } } };
    control.server.patch(lease(namespace, ownLease), { type: 'merge', body });
  }
}

test('Temporal comes back from a restore with the runs of the backup, and gets all signals', async () => {
  const world = prepared(1);
  const { simulation, temporal } = world;
  const process = new SimulatedProcess(simulation, { name: 'starter' });
  const client = temporal.clientFor(process, 'starter');
  async function start(workflowId: string): Promise<void> {
    void client.workflow.start('check', { workflowId, taskQueue: 'one' });
    await simulation.run(simulation.now + 1_000);
  }
  const ids = () => Array.from(temporal.engine.executions(), ({ run }) => run.workflowId);
  await start('before');
  disasters.temporalRestores(world, new Chance(1));
  await start('after');
  expect(ids()).toEqual(['before', 'after']);
  noteCheckpoint(world);
  const processes = replicasOf(world).map((replica) => replica.process);

  await simulation.run(simulation.now + 40 * minuteMs);
  expect(ids()).toEqual(['before']);
  expect(checkpointIn(world)).toBeUndefined();
  const now = replicasOf(world).map((replica) => replica.process);
  expect(now.filter((one) => processes.includes(one))).toEqual([]);
});

test('a restore of Temporal that would end after the weather clears does not come', async () => {
  const world = prepared(1);
  disasters.temporalRestores(world, new Chance(1));
  noteCheckpoint(world);
  world.weather.clear();
  await world.simulation.run(world.simulation.now + 40 * minuteMs);
  expect(checkpointIn(world)).toBe('{}');
  expect(world.temporal.isUp).toBe(true);
});
