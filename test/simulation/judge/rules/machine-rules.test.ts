import {
  aNode,
  anObject,
  beginStop,
  courtroom,
  endStop,
  minuteMs,
  ownerReference,
  pathTo,
} from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const hourMs = 60 * minuteMs;
const ofClass = { class: { kind: 'MachineClass', name: 'small' } };
const template = { metadata: { labels: { pool: 'a' } }, spec: ofClass };

function putSet(court: Courtroom, spec: object = {}, metadata: object = {}): void {
  court.control.put(
    anObject('MachineSet', 'pool', { metadata, spec: { replicas: 2, template, ...spec } }),
  );
}

function putMachine(court: Courtroom, name: string, changes: Record<string, object> = {}): void {
  const owner = { ownerReferences: ownerReference('MachineSet', 'pool') };
  const metadata = { ...owner, ...changes['metadata'] };
  const status = changes['status'] ?? { currentStatus: { phase: 'Running' } };
  court.control.put(
    anObject('Machine', name, { spec: { ...ofClass, ...changes['spec'] }, metadata, status }),
  );
}

/** A set of two with so many machines, for long. */
async function withMachines(count: number, spec: object = {}): Promise<Courtroom> {
  const court = courtroom();
  putSet(court, spec);
  for (let index = 1; index <= count; index += 1) putMachine(court, `pool-${index}`);
  await court.pass(hourMs);
  return court;
}

function remove(court: Courtroom, name: string): void {
  court.write({ method: 'DELETE', path: pathTo('machines', name) });
}

interface Made {
  spec?: object;
  owner?: string;
  isAgain?: boolean;
}

function make(court: Courtroom, name: string, changes: Made = {}) {
  const { spec = ofClass, owner = 'pool', isAgain = false } = changes;
  const ownerReferences = ownerReference('MachineSet', owner);
  court.write({
    method: 'POST',
    path: pathTo('machines'),
    body: { ...anObject('Machine', name), metadata: { name, ownerReferences }, spec },
    isAgain,
  });
}

function marked(time: string): object {
  return {
    'machinepriority.machine.sapcloud.io': '1',
    'machine.sapcloud.io/marked-for-deletion-time': time,
  };
}

const noReason = ['a Machine is deleted for a reason'];

test('a Machine whose labels a policy took off as it was made goes again, and no other one', async () => {
  const selector = { matchLabels: { pool: 'a' } };
  const court = await withMachines(0, { selector });
  putMachine(court, 'stripped');
  putMachine(court, 'whole', { metadata: { labels: { pool: 'a' } } });
  remove(court, 'stripped');
  expect(court.broken()).toEqual([]);
  remove(court, 'whole');
  expect(court.broken()).toEqual(noReason);
});

describe('deletion of a Machine', () => {
  test('of a set with too many, as many as are too many', async () => {
    const court = await withMachines(4);
    remove(court, 'pool-1');
    remove(court, 'pool-2');
    expect(court.broken()).toEqual([]);
    remove(court, 'pool-3');
    expect(court.broken()).toEqual(noReason);
  });

  test('of a set with as many as it wants', async () => {
    const court = await withMachines(2);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual(noReason);
  });

  test('by a number that was read before it changed', async () => {
    const court = await withMachines(4);
    const body = { spec: { replicas: 4 } };
    court.control.patch(pathTo('machinesets', 'pool'), { type: 'merge', body });
    await court.pass(minuteMs);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual([]);
    await court.pass(hourMs);
    remove(court, 'pool-2');
    expect(court.broken()).toEqual(noReason);
  });

  // A stop is there to think and to put things right: what waited is decided anew.
  test('by a number that was read before a stop of half an hour', async () => {
    const court = await withMachines(3);
    beginStop(court);
    await court.pass(minuteMs);
    court.control.delete(pathTo('machines', 'pool-3'));
    await court.pass(30 * minuteMs);
    endStop(court);
    await court.pass(minuteMs);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual(noReason);
  });

  test('that is Failed, unless it is preserved', async () => {
    const court = await withMachines(0);
    const preserveExpiryTime = '2027-01-01T00:00:00Z';
    putMachine(court, 'pool-1', { status: { currentStatus: { phase: 'Failed' } } });
    putMachine(court, 'pool-2', {
      status: { currentStatus: { phase: 'Failed', preserveExpiryTime } },
    });
    await court.pass(hourMs);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual([]);
    remove(court, 'pool-2');
    expect(court.broken()).toEqual(noReason);
  });

  test('of a set that is being deleted, unless its machines are to be orphans', async () => {
    const court = await withMachines(2);
    court.control.delete(pathTo('machinesets', 'pool'));
    await court.pass(minuteMs);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual([]);
  });

  test('of a set whose machines are to be orphans', async () => {
    const court = await withMachines(2);
    court.control.delete(pathTo('machinesets', 'pool'), { propagationPolicy: 'Orphan' });
    await court.pass(hourMs);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual(noReason);
  });

  test('that the cluster autoscaler has marked', async () => {
    const court = courtroom();
    const scaledAt = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
    putSet(court, {}, { annotations: { [scaledAt]: '2026-01-01T00:10:00Z' } });
    putMachine(court, 'pool-1', { metadata: { annotations: marked('2026-01-01T00:10:00Z') } });
    putMachine(court, 'pool-2', { metadata: { annotations: marked('2026-01-01T00:20:00Z') } });
    await court.pass(hourMs);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual([]);
    remove(court, 'pool-2');
    expect(court.broken()).toEqual(noReason);
  });

  test('whose Node is gone', async () => {
    const court = courtroom();
    const spec = { providerID: 'local:///a/i-1' };
    court.target.put(aNode('pool-a', spec.providerID));
    const machine = anObject('Machine', 'pool-a', {
      metadata: { labels: { node: 'pool-a' } },
      spec,
    });
    court.control.put(machine);
    await court.pass(hourMs);
    remove(court, 'pool-a');
    expect(court.broken()).toEqual(noReason);
    court.control.remove(pathTo('machines', 'pool-a'));
    court.control.put({ ...machine, metadata: { ...machine.metadata, uid: 'second' } });
    court.target.remove('/api/v1/nodes/pool-a');
    await court.pass(hourMs);
    remove(court, 'pool-a');
    expect(court.broken()).toEqual(noReason);
  });

  test('without an owner', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    await court.pass(hourMs);
    remove(court, 'pool-a');
    expect(court.broken()).toEqual(noReason);
  });

  test('during a stop', async () => {
    const court = await withMachines(3);
    beginStop(court);
    await court.pass(1_000);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual([]);
    await court.pass(10 * minuteMs);
    remove(court, 'pool-2');
    expect(court.broken()).toContain('nothing happens during a stop');
  });

  test('without a leader', async () => {
    const court = await withMachines(3);
    court.control.delete('/apis/coordination.k8s.io/v1/namespaces/garden-one/leases/millwright');
    await court.pass(1_000);
    remove(court, 'pool-1');
    expect(court.broken()).toEqual([]);
    await court.pass(10 * minuteMs);
    remove(court, 'pool-2');
    expect(court.broken()).toContain('nothing happens without a leader');
  });
});

const tooMany = ['a set makes no more than its replicas'];

describe('creation of a Machine', () => {
  test('as many as are missing', async () => {
    const court = await withMachines(0);
    make(court, 'pool-1');
    make(court, 'pool-2');
    expect(court.broken()).toEqual([]);
    make(court, 'pool-3');
    expect(court.broken()).toEqual(tooMany);
  });

  test('in the place of one whose labels a policy took off', async () => {
    const court = await withMachines(0, { selector: { matchLabels: { pool: 'a' } } });
    make(court, 'pool-1');
    make(court, 'pool-2');
    await court.pass(1_000);
    const body = { metadata: { finalizers: ['machine.sapcloud.io/machine-controller-manager'] } };
    court.control.patch(pathTo('machines', 'pool-1'), { type: 'merge', body });
    remove(court, 'pool-1');
    make(court, 'pool-3');
    expect(court.broken()).toEqual([]);
    make(court, 'pool-4');
    expect(court.broken()).toEqual(tooMany);
  });

  test('by a create that the network brings a second time', async () => {
    const court = await withMachines(2);
    make(court, 'pool-3', { isAgain: true });
    expect(court.broken()).toEqual([]);
  });

  test('in the place of one that goes', async () => {
    const court = await withMachines(2);
    court.control.delete(pathTo('machines', 'pool-1'));
    await court.pass(1_000);
    make(court, 'pool-3');
    expect(court.broken()).toEqual([]);
  });

  test('by a number that was read before it changed', async () => {
    const court = await withMachines(0);
    const body = { spec: { replicas: 0 } };
    court.control.patch(pathTo('machinesets', 'pool'), { type: 'merge', body });
    await court.pass(1_000);
    make(court, 'pool-1');
    expect(court.broken()).toEqual([]);
    await court.pass(hourMs);
    make(court, 'pool-2');
    expect(court.broken()).toEqual(tooMany);
  });

  test.each([
    [1, []],
    [10, tooMany],
  ])('as planned before Temporal was restored, %i min after that', async (minutes, expected) => {
    const court = await withMachines(0);
    const restore = court.world.temporal.backup();
    make(court, 'pool-1');
    make(court, 'pool-2');
    await court.pass(1_000);
    restore();
    await court.pass(minutes * minuteMs);
    make(court, 'pool-3');
    expect(court.broken()).toEqual(expected);
  });

  test('as planned before a backup of Temporal that is old', async () => {
    const court = await withMachines(0);
    const restore = court.world.temporal.backup();
    make(court, 'pool-1');
    make(court, 'pool-2');
    await court.pass(hourMs / 2);
    restore();
    await court.pass(1_000);
    make(court, 'pool-3');
    make(court, 'pool-4');
    expect(court.broken()).toEqual([]);
    make(court, 'pool-5');
    expect(court.broken()).toEqual(tooMany);
  });

  test.each([
    ['of a frozen set', { labels: { freeze: 'True' } }],
    ['of a set that is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('%s', async (_, metadata) => {
    const court = courtroom();
    putSet(court, {}, metadata);
    await court.pass(hourMs);
    make(court, 'pool-1');
    expect(court.broken()).toEqual(['a Machine is made by a set']);
  });

  test('of another class than the template', async () => {
    const court = await withMachines(0);
    make(court, 'pool-1', { spec: { class: { kind: 'MachineClass', name: 'large' } } });
    expect(court.broken()).toEqual(['a Machine is made by a set']);
  });

  test('without a set', async () => {
    const court = await withMachines(0);
    make(court, 'pool-1', { owner: 'other' });
    expect(court.broken()).toEqual(['a Machine is made by a set']);
  });
});

function fail(court: Courtroom, name: string): void {
  court.write({
    method: 'PATCH',
    path: `${pathTo('machines', name)}/status`,
    body: { status: { currentStatus: { phase: 'Failed' } } },
  });
}

function setPhase({ control }: Courtroom, name: string, phase: string): void {
  const body = { status: { currentStatus: { phase } } };
  control.patch(`${pathTo('machines', name)}/status`, { type: 'merge', body });
}

describe('a Machine that turns Failed', () => {
  const early = ['a Machine fails only when its time is up'];

  test.each([
    ['Pending', 5, early],
    ['Pending', 11, []],
    ['Unknown', 2, early],
    ['Unknown', 6, []],
  ])('from phase %s after %d minutes', async (phase, minutes, expected) => {
    const court = courtroom();
    if (phase === 'Unknown') {
      putMachine(court, 'pool-1');
      await court.pass(hourMs);
    } else putMachine(court, 'pool-1', { status: { currentStatus: { phase } } });
    setPhase(court, 'pool-1', phase);
    await court.pass(minutes * minuteMs);
    fail(court, 'pool-1');
    expect(court.broken()).toEqual(expected);
  });

  test('by its own, shorter limit', async () => {
    const court = courtroom();
    putMachine(court, 'pool-1', {
      spec: { creationTimeout: '3m' },
      status: { currentStatus: { phase: 'Pending' } },
    });
    await court.pass(3 * minuteMs);
    fail(court, 'pool-1');
    expect(court.broken()).toEqual([]);
  });

  test('as its instance is gone', async () => {
    const court = courtroom();
    putMachine(court, 'pool-1', { spec: { providerID: 'local:///a/i-9' } });
    await court.pass(minuteMs);
    fail(court, 'pool-1');
    expect(court.broken()).toEqual([]);
  });
});
