import { aNode, anObject, courtroom, minuteMs, ownerReference, pathTo } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';
import { secretFinalizer } from '../objects.ts';

const hourMs = 60 * minuteMs;
const released = { metadata: { finalizers: null } };

function release(court: Courtroom, path: string): void {
  court.write({ method: 'PATCH', path, body: released });
}

describe('a Machine', () => {
  const path = pathTo('machines', 'pool-a');

  async function leaving(): Promise<Courtroom & { record: { providerID: string } }> {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a', { metadata: { labels: { node: 'pool-a' } } }));
    const record = court.cloud.create();
    const body = { spec: { providerID: record.providerID } };
    court.control.patch(path, { type: 'merge', body });
    court.target.put(aNode('pool-a', record.providerID));
    await court.pass(hourMs);
    court.control.delete(path);
    const cordoned = { spec: { unschedulable: true } };
    court.target.patch('/api/v1/nodes/pool-a', { type: 'merge', body: cordoned });
    await court.pass(10 * minuteMs);
    return { ...court, record };
  }

  test('goes when instance and Node are gone', async () => {
    const court = await leaving();
    for (const record of court.cloud.living) court.cloud.delete(record);
    court.target.remove('/api/v1/nodes/pool-a');
    release(court, path);
    expect(court.broken()).toEqual([]);
  });

  test('stays while its instance lives', async () => {
    const court = await leaving();
    court.target.remove('/api/v1/nodes/pool-a');
    release(court, path);
    expect(court.broken()).toEqual(['a Machine goes after its instance']);
  });

  test('may leave its instance to a Machine that has it', async () => {
    const court = await leaving();
    court.target.remove('/api/v1/nodes/pool-a');
    const { providerID } = court.record;
    court.control.put(anObject('Machine', 'pool-b', { spec: { providerID } }));
    release(court, path);
    expect(court.broken()).toEqual([]);
  });

  test('stays while its Node is there', async () => {
    const court = await leaving();
    for (const record of court.cloud.living) court.cloud.delete(record);
    release(court, path);
    expect(court.broken()).toEqual(['a Machine goes after its Node']);
  });

  test.each([
    ['that never ran goes without its Node', '', []],
    ['that ran stays', 'Running', ['a Machine goes after its Node']],
  ])('%s while the target cluster is away', async (_, phase, expected) => {
    const court = await leaving();
    const status = { currentStatus: { phase } };
    court.control.patch(`${path}/status`, { type: 'merge', body: { status } });
    await court.pass(minuteMs);
    for (const record of court.cloud.living) court.cloud.delete(record);
    for (const { target } of court.world.installs) target.isUp = false;
    release(court, path);
    expect(court.broken()).toEqual(expected);
  });

  test('that is not being deleted stays', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    await court.pass(hourMs);
    release(court, path);
    expect(court.broken()).toEqual(['a Machine goes after its instance']);
  });
});

describe.each([
  ['MachineSet', 'machinesets', 'Machine'],
  ['MachineDeployment', 'machinedeployments', 'MachineSet'],
] as const)('a %s', (kind, plural, child) => {
  const path = pathTo(plural, 'pool');

  async function leaving(): Promise<Courtroom> {
    const court = courtroom();
    const spec = { selector: { matchLabels: { pool: 'a' } } };
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    court.control.put(anObject(kind, 'pool', { metadata, spec }));
    const ownerReferences = ownerReference(kind, 'pool');
    const labels = { pool: 'a' };
    court.control.put(anObject(child, 'pool-a', { metadata: { ownerReferences, labels } }));
    await court.pass(hourMs);
    return court;
  }

  test(`goes before a ${child} that was taken out of its selector`, async () => {
    const court = await leaving();
    const body = { metadata: { labels: { pool: 'none' } } };
    const plurals = { Machine: 'machines', MachineSet: 'machinesets' } as const;
    court.control.patch(pathTo(plurals[child], 'pool-a'), { type: 'merge', body });
    await court.pass(hourMs);
    release(court, path);
    expect(court.broken()).toEqual([]);
  });

  test(`stays while it has a ${child}`, async () => {
    const court = await leaving();
    release(court, path);
    expect(court.broken()).toEqual(['an owner goes after what it owns']);
  });

  test('goes after that', async () => {
    const court = await leaving();
    court.control.remove(pathTo(child === 'Machine' ? 'machines' : 'machinesets', 'pool-a'));
    release(court, path);
    expect(court.broken()).toEqual([]);
  });

  test('stays when nobody deletes it', async () => {
    const court = courtroom();
    court.control.put(anObject(kind, 'pool'));
    await court.pass(hourMs);
    release(court, path);
    expect(court.broken()).toEqual(['an owner goes after what it owns']);
  });
});

describe.each([
  ['a class that a Machine is of', true, ['what is in use is protected']],
  ['a class without Machines', false, []],
])('%s', (_, isUsed, expected) => {
  test('is released by the rules', async () => {
    const court = courtroom();
    court.control.put(anObject('MachineClass', 'small'));
    const name = isUsed ? 'small' : 'large';
    court.control.put(anObject('Machine', 'pool-a', { spec: { class: { name } } }));
    await court.pass(hourMs);
    release(court, pathTo('machineclasses', 'small'));
    expect(court.broken()).toEqual(expected);
  });
});

test.each([
  ['secretRef', ['what is in use is protected']],
  ['credentialsSecretRef', ['what is in use is protected']],
  ['otherRef', []],
])('a Secret that a class names as its %s', async (field, expected) => {
  const court = courtroom();
  court.control.put({ ...anObject('MachineClass', 'small'), [field]: { name: 'cloud' } });
  const metadata = { finalizers: [secretFinalizer] };
  court.control.put({ ...anObject('Secret', 'cloud', { metadata }), apiVersion: 'v1' });
  await court.pass(hourMs);
  release(court, '/api/v1/namespaces/garden-one/secrets/cloud');
  expect(court.broken()).toEqual(expected);
});
