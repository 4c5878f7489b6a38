import { anObject, courtroom, minuteMs, pathTo } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const hourMs = 60 * minuteMs;

/** A Machine that has an instance and names it. */
function running(): Courtroom & { record: ReturnType<Courtroom['cloud']['create']> } {
  const court = courtroom();
  court.control.put(anObject('Machine', 'pool-a'));
  const record = court.cloud.create();
  court.write({
    method: 'PATCH',
    path: pathTo('machines', 'pool-a'),
    body: { spec: { providerID: record.providerID } },
  });
  return { ...court, record };
}

describe('creation', () => {
  test('one instance for a Machine that exists breaks no rule', () => {
    expect(running().broken()).toEqual([]);
  });

  test('a second one breaks a rule, even with another token', () => {
    const { cloud, broken } = running();
    cloud.create({ token: 'uid-of-pool-a-1' });
    expect(broken()).toEqual(['one living instance for a Machine']);
  });

  test('one after the other is allowed', async () => {
    const { cloud, broken, record, control, pass } = running();
    await pass(minuteMs);
    control.delete(pathTo('machines', 'pool-a'));
    cloud.delete(record);
    cloud.create({ token: 'uid-of-pool-a-1' });
    expect(broken()).toEqual([]);
  });

  test('a token makes one instance', () => {
    const { cloud, broken, record } = running();
    cloud.delete(record, 'cloud');
    cloud.create();
    expect(broken()).toEqual(['one instance for a token']);
  });

  test('a Machine that has been gone for long gets none', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a', { metadata: { finalizers: [] } }));
    court.control.delete(pathTo('machines', 'pool-a'));
    await court.pass(hourMs);
    court.cloud.create();
    expect(court.broken()).toEqual(['an instance is made for a Machine']);
  });

  test('a call that was under way when its Machine went is no fault', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a', { metadata: { finalizers: [] } }));
    await court.pass(hourMs);
    court.control.delete(pathTo('machines', 'pool-a'));
    await court.pass(minuteMs);
    court.cloud.create();
    expect(court.broken()).toEqual([]);
  });

  test('a token that is not of the Machine breaks a rule', () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    court.cloud.create({ token: 'another-0' });
    expect(court.broken()).toEqual(['an instance is made for a Machine']);
  });

  test('an install makes none for another one', () => {
    const court = courtroom();
    court.cloud.create({}, 'two-worker-1');
    expect(court.broken()).toEqual(['nothing of another install is touched']);
  });

  test('what is none of our processes may do what it wants', () => {
    const court = courtroom();
    court.cloud.delete(court.cloud.create({}, 'cloud'), 'cloud');
    expect(court.broken()).toEqual([]);
  });
});

describe('deletion with a Machine', () => {
  test('is allowed once that is being deleted', () => {
    const { control, cloud, record, broken } = running();
    control.delete(pathTo('machines', 'pool-a'));
    cloud.delete(record);
    expect(broken()).toEqual([]);
  });

  test('is not allowed before', async () => {
    const { cloud, record, broken, pass } = running();
    await pass(hourMs);
    cloud.delete(record);
    expect(broken()).toEqual(['a living Machine keeps its instance']);
  });

  test('is not allowed while the Machine does not name its instance yet', async () => {
    const court = courtroom();
    court.control.put(anObject('Machine', 'pool-a'));
    const record = court.cloud.create();
    await court.pass(hourMs);
    court.cloud.delete(record);
    expect(court.broken()).toEqual(['a living Machine keeps its instance']);
  });

  test('is allowed when the Machine names another instance, once that is long ago', async () => {
    const { control, cloud, record, broken, pass } = running();
    const body = { spec: { providerID: 'local:///a/i-9' } };
    control.patch(pathTo('machines', 'pool-a'), { type: 'merge', body });
    await pass(hourMs);
    cloud.delete(record);
    expect(broken()).toEqual([]);
  });

  test('is not allowed when only the finalizer went', async () => {
    const { control, cloud, record, broken, pass } = running();
    const body = { metadata: { finalizers: null } };
    control.patch(pathTo('machines', 'pool-a'), { type: 'merge', body });
    control.delete(pathTo('machines', 'pool-a'));
    await pass(minuteMs);
    cloud.delete(record);
    expect(broken()).toEqual(['an instance goes with its Machine or as an orphan']);
  });

  test('is allowed when the finalizer went later than the deletionTimestamp came', async () => {
    const { control, cloud, record, broken, pass } = running();
    const body = { metadata: { finalizers: null } };
    control.delete(pathTo('machines', 'pool-a'));
    control.patch(pathTo('machines', 'pool-a'), { type: 'merge', body });
    await pass(minuteMs);
    cloud.delete(record);
    expect(broken()).toEqual([]);
  });

  test('is allowed when only a Machine without an instance came in its place', async () => {
    const { control, cloud, record, broken, pass } = running();
    control.delete(pathTo('machines', 'pool-a'));
    control.put(anObject('Machine', 'pool-a', { metadata: { uid: 'another' } }));
    await pass(hourMs);
    cloud.delete(record);
    expect(broken()).toEqual([]);
  });

  test('is not allowed when a Machine that came in its place has the instance', async () => {
    const { control, cloud, record, broken, pass } = running();
    control.delete(pathTo('machines', 'pool-a'));
    const spec = { providerID: record.providerID };
    control.put(anObject('Machine', 'pool-a', { metadata: { uid: 'another' }, spec }));
    await pass(hourMs);
    cloud.delete(record);
    expect(broken()).toEqual(['a living Machine keeps its instance']);
  });

  test('is not allowed to another install', () => {
    const { control, cloud, record, broken } = running();
    control.delete(pathTo('machines', 'pool-a'));
    cloud.delete(record, 'two-worker-1');
    expect(broken()).toEqual(['nothing of another install is touched']);
  });

  test('is not allowed without our tags', () => {
    const court = courtroom();
    const record = court.cloud.create({ tags: {} }, 'cloud');
    court.cloud.delete(record);
    expect(court.broken()).toEqual(['nothing of another install is touched']);
  });
});

function orphan(court: Courtroom, name: string) {
  return court.cloud.create({ uid: `uid-of-${name}`, name }, 'cloud');
}

describe('deletion of an orphan', () => {
  test('is allowed when two searches may have seen it', async () => {
    const court = courtroom();
    const record = orphan(court, 'pool-b');
    await court.pass(16 * minuteMs);
    court.cloud.delete(record);
    expect(court.broken()).toEqual([]);
  });

  test('is not allowed when it is young', async () => {
    const court = courtroom();
    const record = orphan(court, 'pool-b');
    await court.pass(5 * minuteMs);
    court.cloud.delete(record);
    expect(court.broken()).toEqual(['an instance goes with its Machine or as an orphan']);
  });

  test('is not allowed when its Machine went a moment ago', async () => {
    const { control, cloud, record, broken, pass } = running();
    await pass(hourMs);
    control.remove(pathTo('machines', 'pool-a'));
    const other = cloud.create({ uid: 'uid-of-pool-b', name: 'pool-b' }, 'cloud');
    await pass(5 * minuteMs);
    cloud.delete(record);
    cloud.delete(other, 'cloud');
    // Its Machine was removed past all rules, with its finalizer.
    expect(broken()).toEqual(['an instance goes with its Machine or as an orphan']);
  });

  test.each([
    [2, ['an instance goes with its Machine or as an orphan']],
    // Its answer may have been lost.
    [1, []],
    [0, []],
  ])('after %i searches found it with a Machine: %j', async (searches, expected) => {
    const court = courtroom();
    const { control, cloud } = court;
    const record = orphan(court, 'pool-b');
    await court.pass(16 * minuteMs);
    const spec = { providerID: record.providerID };
    control.put(anObject('Machine', 'pool-c', { metadata: { finalizers: [] }, spec }));
    for (let search = 0; search < searches; search += 1) {
      await court.pass(7 * minuteMs);
      cloud.list();
    }
    await court.pass(minuteMs);
    control.remove(pathTo('machines', 'pool-c'));
    await court.pass(5 * minuteMs);
    cloud.delete(record);
    expect(court.broken()).toEqual(expected);
  });

  test('eleven at once are too many', async () => {
    const court = courtroom();
    const names = Array.from({ length: 11 }, (_, index) => `pool-${index}`);
    const records = names.map((name) => orphan(court, name));
    await court.pass(hourMs);
    for (const record of records) court.cloud.delete(record);
    expect(court.broken()).toEqual(['few orphans go at once']);
  });
});

test('a restored database is read again before anything is judged', async () => {
  const { control, cloud, record, broken, pass } = running();
  const restore = control.store.backup();
  control.delete(pathTo('machines', 'pool-a'));
  await pass(hourMs);
  restore();
  await pass(hourMs);
  cloud.delete(record);
  expect(broken()).toEqual(['a living Machine keeps its instance']);
});

test('so is one that is restored once more, from a later backup', async () => {
  const { control, cloud, record, broken, pass, world } = running();
  const restoreOld = control.store.backup();
  control.put(anObject('Machine', 'pool-b', {}));
  const restoreLater = control.store.backup();
  control.delete(pathTo('machines', 'pool-a'));
  await pass(hourMs);
  restoreOld();
  await pass(hourMs);
  control.delete(pathTo('machines', 'pool-a'));
  restoreLater();
  world.weather.restored('seed');
  cloud.delete(record);
  expect(broken()).toEqual(['a living Machine keeps its instance']);
});
