/** How many objects the API server sends for a change: in a large set as many as in a small one. */
import type { Query } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { observeMachineDeployment } from '../../../activities/machine-deployment/observe.ts';
import { CopiedMachineSets } from '../../../activities/machine-deployment/set-lists.ts';
import { CopiedMachines } from '../../../activities/machine-set/machine-lists.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import type { ActivityDependencies } from '../../../activities/runtime/dependencies.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aSecret,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { aWorld, lifeOf, placeOf } from '../../support/world.ts';

const labels = { pool: 'a' };
const deployment = aMachineDeployment();
const old = aMachineSet({
  metadata: { name: 'old', labels, ownerReferences: controlledBy(deployment) },
  spec: { template: { metadata: { labels }, spec: { class: { name: 'former' } } } },
});
const machineOf = (name: string) =>
  aMachine({ phase: 'Running', metadata: { name, labels, ownerReferences: controlledBy(old) } });
const pathOf = (name: string): string => customResource('machines', namespace, name);

class CountingClient extends InMemoryClient {
  sent = 0;

  override async get<T>(path: string, query: Query = {}): Promise<T> {
    const answer = await super.get<T>(path, query);
    const { items } = Object(answer);
    this.sent += Array.isArray(items) ? items.length : 1;
    return answer;
  }

  /** Objects that were sent meanwhile. */
  async during(action: () => Promise<unknown>): Promise<number> {
    const before = this.sent;
    await action();
    return this.sent - before;
  }
}

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const copy of open.splice(0)) await copy.close();
});

/** What is fetched does not depend on it. */
const count = 500;

interface Fleet {
  control: CountingClient;
  place: ActivityDependencies;
}

/** All machines in one set, which is the old one of a rollout; their copy is under way. */
async function fleetOf(patienceMs = 60_000): Promise<Fleet> {
  const machines = Array.from({ length: count }, (_, index) => machineOf(`old-${index}`));
  const replicas = { ...old, spec: { ...old.spec, replicas: count } };
  const control = new CountingClient(deployment, replicas, ...machines);
  const copy = new CopiedMachines({
    control,
    namespace,
    patienceMs,
    onError: (error) => expect(error).toBeUndefined(),
  });
  open.push(copy);
  await copy.select(namespace);
  await eventually('the copy watches', async () => control.watchCount === 1);
  await touch(control, 'old-0');
  await copy.select(namespace);
  return { control, place: { ...aWorld(), ...placeOf(control), machines: copy } };
}

/** A change, and nothing later. */
const touch = (control: InMemoryClient, name: string): Promise<unknown> =>
  control.patch(pathOf(name), 'merge', {
    metadata: { annotations: { at: String(Math.random()) } },
  });

const touchSet = (control: InMemoryClient, name: string): Promise<unknown> =>
  control.patch(customResource('machinesets', namespace, name), 'merge', {
    metadata: { annotations: { at: String(Math.random()) } },
  });

const touched = Array.from({ length: 20 }, (_, index) => `old-${index}`);

describe('20 changes, one after the other,', () => {
  test('are 20 reads of a set that fetch two objects each', async () => {
    const { control, place } = await fleetOf();
    const set = { namespace, name: 'old' };
    await observeMachineSet(place, { set, now: Date.now() });
    const sent = await control.during(async () => {
      for (const name of touched) {
        await touch(control, name);
        const outcome = await observeMachineSet(place, { set, now: Date.now() });
        expect(outcome).toMatchObject({ observation: { total: count } });
      }
    });
    expect(sent).toBe(2 * touched.length);
  });

  test('are 20 reads of a deployment that fetch three objects each', async () => {
    const { control, place } = await fleetOf();
    const input = { deployment: lifeOf('workers'), now: Date.now(), protectedNodes: [] };
    await observeMachineDeployment(place, input);
    const sent = await control.during(async () => {
      for (const name of touched) {
        await touch(control, name);
        const outcome = await observeMachineDeployment(place, input);
        const machines = outcome.found ? outcome.facts.sets[0]?.machines.length : 0;
        expect(machines).toBe(count);
      }
    });
    expect(sent).toBe(3 * touched.length);
  });
});

test('20 reads of a deployment beside other sets fetch two objects each', async () => {
  const others = Array.from({ length: count }, (_, index) =>
    aMachineSet({ metadata: { name: `other-${index}`, ownerReferences: controlledBy(old) } }),
  );
  const control = new CountingClient(deployment, old, ...others);
  const input = { deployment: lifeOf('workers'), now: Date.now(), protectedNodes: [] };
  const place = { ...aWorld(), ...placeOf(control) };
  // What there is to write is written before the copy begins.
  for (let look = 1; look <= 4; look += 1) await observeMachineDeployment(place, input);
  const machineSets = new CopiedMachineSets({
    control,
    namespace,
    patienceMs: 60_000,
    onError: (error) => expect(error).toBeUndefined(),
  });
  open.push(machineSets);
  await machineSets.list(namespace);
  await eventually('the copy watches', async () => control.watchCount === 1);
  const sent = await control.during(async () => {
    for (const index of touched.keys()) {
      await touchSet(control, `other-${index}`);
      const outcome = await observeMachineDeployment({ ...place, machineSets }, input);
      expect(outcome).toMatchObject({ found: true });
    }
  });
  expect(sent).toBe(2 * touched.length);
});

/** As in a quiet namespace of a busy cluster: the server is ahead of every change of a Machine. */
describe('where no machine changes any more', () => {
  const path = customResource('machinesets', namespace, 'old');
  const read = { set: { namespace, name: 'old' }, now: Date.now() };

  /** Of the last change. */
  async function quietFleetOf(): Promise<Fleet & { machinesAtLeast: string }> {
    const fleet = await fleetOf(1);
    await observeMachineSet(fleet.place, read);
    await touch(fleet.control, 'old-1');
    const { metadata } = await fleet.control.read<Machine>(pathOf('old-1'));
    fleet.control.put(aSecret({}));
    return { ...fleet, machinesAtLeast: metadata.resourceVersion };
  }

  test('a set that is at rest fetches nothing but itself', async () => {
    const { control, place, machinesAtLeast } = await quietFleetOf();
    const sent = await control.during(async () => {
      const outcome = await observeMachineSet(place, { ...read, machinesAtLeast });
      expect(outcome).toMatchObject({ observation: { total: count, present: count } });
    });
    expect(sent).toBe(1);
  });

  test('a set that has something to do reads what was not signalled, too', async () => {
    const { control, place, machinesAtLeast } = await quietFleetOf();
    await control.patch(path, 'merge', { spec: { replicas: count - 1 } });
    await control.patch(`${path}/status`, 'merge', { status: { observedGeneration: 2 } });
    expect(await control.during(() => observeMachineSet(place, { ...read, machinesAtLeast }))).toBe(
      // The set, the version, and the list.
      2 + count,
    );
  });
});
