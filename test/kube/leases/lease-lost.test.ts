/** A Lease that is lost while an activity is at work. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { createGuard } from '../../../activities/gates.ts';
import { createKubeActivities } from '../../../activities/index.ts';
import { createDriverActivities } from '../../../activities/instance.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { DriverRequest } from '../../../workflows/contracts/driver-contract.ts';
import { contractVersion } from '../../../workflows/contracts/driver-activities.ts';
import {
  aMachine,
  aMachineClass,
  aMachineSet,
  aSecret,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { refusingDriver } from '../../support/refusing-driver.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machines = customResource('machines', namespace);
const names = Array.from({ length: 60 }, (_, index) => `pool-${index}`);
const set = lifeOf('pool');

/** A world whose Lease is lost before the third write of this kind. */
function losing(method: string, objects: object[]): WorldOfTests {
  const activeWatcher = { isLeading: true, isActive: () => activeWatcher.isLeading };
  const world = aWorld({ control: objects, activeWatcher });
  let writes = 0;
  world.control.fault = (call) => {
    if (call.method === method && call.path.startsWith(machines)) writes += 1;
    if (writes === 2) activeWatcher.isLeading = false;
    return undefined;
  };
  return world;
}

const writesOf = (world: WorldOfTests): string[] =>
  world.control.writes().filter((call) => call.includes(machines));

test('a batch of creates stops, and its next attempt knows which Machines were made', async () => {
  const world = losing('POST', [aMachineSet({ spec: { replicas: 60 } })]);
  const { createMachines } = createKubeActivities(world);
  const attempt = new MockActivityEnvironment();
  const reports: unknown[] = [];
  attempt.on('heartbeat', (details) => reports.push(details));
  const batch = { set, names, basis: { generation: 1, replicas: 60 } };
  await expect(attempt.run(createMachines, batch)).rejects.toMatchObject({
    type: 'NoActiveWatcher',
  });
  expect(writesOf(world).length).toBeLessThan(names.length);
  expect(reports.length).toBeGreaterThan(0);
});

test('a batch of deletions stops', async () => {
  const ownerReferences = controlledBy(aMachineSet());
  const owned = names.map((name) =>
    aMachine({ metadata: { name, labels: { pool: 'a' }, ownerReferences } }),
  );
  const world = losing('DELETE', [aMachineSet({ spec: { replicas: 0 } }), ...owned]);
  const { deleteMachines } = createKubeActivities(world);
  const batch = { set, names, reason: 'scale to 0', generation: 1, now: Date.now() };
  const run = new MockActivityEnvironment().run(deleteMachines, batch);
  await expect(run).rejects.toMatchObject({ type: 'NoActiveWatcher' });
  expect(writesOf(world).length).toBeLessThan(names.length);
});

test('a call to a cloud ends, and what came of it is recorded after the next watcher took the Lease', async () => {
  const activeWatcher = { isLeading: true, isActive: () => activeWatcher.isLeading };
  const world = aWorld({
    control: [aMachine(), aMachineClass(), aSecret()],
    activeWatcher,
  });
  const made = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
  const driver = refusingDriver('not asked for in this test', {
    async createInstance() {
      activeWatcher.isLeading = false;
      return { ...made, found: false, isInitialized: true };
    },
  });
  const { signal } = new AbortController();
  const view = { signal: () => signal, isShuttingDown: () => false };
  const driverWorld = { ...world, driver, ...view, guard: createGuard(world) };
  const machine = lifeOf('pool-a');
  const request: DriverRequest = {
    contractVersion,
    machine,
    cluster: 'c',
    className: 'small',
    provider: 'virtual',
    token: `${machine.uid}-0`,
    isRetry: false,
  };
  const outcome = await createDriverActivities(driverWorld).createInstance(request);
  const instance = { ...made, isFound: false };
  expect(outcome).toEqual({ outcome: 'created', instance });
  const { recordCreated } = createKubeActivities(world);
  const record = { machine, instance, usesTarget: true };
  await expect(recordCreated(record)).rejects.toMatchObject({ type: 'NoActiveWatcher' });
  expect(world.control.writes()).toEqual([]);
  activeWatcher.isLeading = true;
  await recordCreated(record);
  const recorded = await world.control.read(`${machines}/pool-a`);
  expect(recorded).toMatchObject({ spec: { providerID: made.providerID } });
});
