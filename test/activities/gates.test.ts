import { createGuard, gated, gates } from '../../activities/gates.ts';
import type { Gate } from '../../activities/gates.ts';
import { createDrainActivities, createKubeActivities } from '../../activities/index.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { noDeletions } from './drain/drain-under-test.ts';
import { refusingDriver } from '../support/refusing-driver.ts';
import type { WorldOfTests } from '../support/world.ts';
import { aWorld, lifeOf } from '../support/world.ts';

const stop = { uid: 'stop-1', reason: 'wrong disks', since: 1_000 };
const whileStopped = { current: () => stop };
const withoutLeader = { isActive: () => false };

const driver = refusingDriver('the gate was open');

async function refuse(): Promise<never> {
  throw new Error('the gate was open');
}

type Step = (input: unknown) => Promise<unknown>;

/** Every activity of a worker, by its name. */
function activitiesOf(world: WorldOfTests): Map<string, Step> {
  const { signal } = new AbortController();
  const view = { signal: () => signal, isShuttingDown: () => false };
  const driverWorld = { ...world, driver, ...view, guard: createGuard(world) };
  const groups: object[] = [
    createKubeActivities(world),
    createDrainActivities(world, { watches: undefined, deletions: noDeletions }),
    createDriverActivities(driverWorld),
  ];
  return new Map(groups.flatMap(stepsOf));
}

function stepsOf(activities: object): [string, Step][] {
  return Object.keys(activities).map((name) => {
    const step: unknown = Reflect.get(activities, name);
    if (typeof step !== 'function') throw new Error(`${name} is no activity`);
    return [name, async (given) => await step(given)];
  });
}

function named(...wanted: Gate[]): string[] {
  return Object.entries(gates).flatMap(([name, gate]) => (wanted.includes(gate) ? [name] : []));
}

/** Written down here once more, so that a gate that is taken away is seen. */
const opened = {
  none: [
    'checkFinally',
    'checkHealth',
    'checkOvershoot',
    'checkServers',
    'compareWorkflows',
    'describeInstance',
    'evaluateListings',
    'findDrainWorker',
    'findDriver',
    'findOrphans',
    'findProvider',
    'findProviders',
    'findStaleNode',
    'getConsoleOutput',
    'listInstances',
    'readMachineClass',
    'repairWorkflows',
    'validateClass',
    'volumeIds',
  ],
  stop: [
    'createInstance',
    'createMachines',
    'deleteInstance',
    'deleteListed',
    'deleteMachines',
    'deleteOrphan',
    'deleteWithNode',
    'finishTeardown',
    'launchMachine',
    'waitForResume',
  ],
} satisfies Partial<Record<Gate, string[]>>;

const input = { machine: lifeOf('pool-a') };

test('every activity of a worker has a gate, and no gate is left over', () => {
  const served = [...activitiesOf(aWorld()).keys()];
  expect(served.toSorted()).toEqual(Object.keys(gates).toSorted());
});

test('only what reads is done without a watcher, and a stop holds up all that creates or destroys', () => {
  expect(named('none').toSorted()).toEqual(opened.none);
  expect(named('stop').toSorted()).toEqual(opened.stop);
});

test('an activity without a gate is not served', () => {
  expect(() => gated({ paintMachine: refuse }, async () => undefined)).toThrow(
    'activity paintMachine has no gate: see activities/gates.ts',
  );
});

describe('while no watcher holds the Lease', () => {
  test.each(named('leader', 'stop'))('%s fails before its first call', async (name) => {
    const world = aWorld({ activeWatcher: withoutLeader, stop: whileStopped });
    const step = activitiesOf(world).get(name) ?? refuse;
    await expect(step(input)).rejects.toMatchObject({
      type: 'NoActiveWatcher',
      category: 'BENIGN',
    });
    expect([...world.control.calls, ...world.target.calls]).toEqual([]);
  });
});

test('checkHealth answers before its first call that no watcher holds the Lease', async () => {
  const world = aWorld({ activeWatcher: withoutLeader });
  const outcome = await activitiesOf(world).get('checkHealth')?.(input);
  expect(outcome).toMatchObject({ finding: { outOfReach: expect.stringContaining('Lease') } });
  expect([...world.control.calls, ...world.target.calls]).toEqual([]);
});

describe('during a stop', () => {
  test.each(named('stop'))('%s fails', async (name) => {
    const step = activitiesOf(aWorld({ stop: whileStopped })).get(name) ?? refuse;
    await expect(step(input)).rejects.toMatchObject({ type: 'Stopped', category: 'BENIGN' });
  });

  test.each(named('leader', 'none'))('the gate of %s is open', async (name) => {
    const guard = createGuard(aWorld({ stop: whileStopped }));
    const { [name]: step } = gated<Record<string, Step>>({ [name]: async () => 'done' }, guard);
    expect(await step?.(input)).toBe('done');
  });
});
