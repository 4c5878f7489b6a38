import { fault } from '../../../../activities/drivers/frame/fault.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, followed, pendingOf } from '../following.ts';
import { impatient, tagsOf, ToyCloud, toyDriver, toyRequest, type ToyThing } from './toy-cloud.ts';

const hasParts = true;
const retag = () => Promise.reject(fault('forbidden', 'toys: not allowed'));
const quota = { code: 'ResourceExhausted', kind: 'quota' };
const all = ['port m-port', 'volume m-a', 'volume m-b', 'server m'];

describe('parts', () => {
  test('are made in their order, each once', async () => {
    const cloud = new ToyCloud('nothing');
    cloud.looks = 2;
    const driver = toyDriver(cloud, { hasParts }, impatient);
    const { answer, pendings } = await followed((more) =>
      driver.createInstance(toyRequest('m', more)),
    );
    expect(answer).toMatchObject({ providerID: 'toy:///server/server-4' });
    expect(cloud.made).toEqual(all);
    const [first] = pendings;
    expect(first?.message).toBe('toys: port m-port is being made (coming)');
  });

  test('a refusal is settled only while nothing was made before', async () => {
    const cloud = new ToyCloud();
    const driver = toyDriver(cloud, { hasParts });
    cloud.refused.add('port').add('server');
    const create = () => driver.createInstance(toyRequest('m'));
    expect(await failureOf(create())).toMatchObject({ ...quota, settled: true });
    cloud.refused.delete('port');
    expect(await failureOf(create())).toMatchObject({ ...quota, settled: false });
    expect(cloud.words()).toEqual(all.slice(0, 3));
    cloud.refused.clear();
    await create();
    expect(cloud.made).toEqual(all);
  });

  test('a refused second thing of one kind is not settled either', async () => {
    const cloud = new ToyCloud('name');
    cloud.put('volume', 'm-b');
    const failure = await failureOf(toyDriver(cloud, { hasParts }).createInstance(toyRequest('m')));
    expect(failure).toMatchObject({ code: 'AlreadyExists', settled: false });
  });

  test('a spent token asks for another, which finds the parts', async () => {
    const cloud = new ToyCloud();
    const driver = toyDriver(cloud, { hasParts });
    await driver.createInstance(toyRequest('m'));
    cloud.things.pop();
    const again = driver.createInstance(toyRequest('m'));
    expect(await failureOf(again)).toMatchObject({ code: 'Aborted', settled: true });
    await driver.createInstance(toyRequest('m', { token: 'next' }));
    expect(cloud.made).toEqual([...all, 'server m']);
  });

  test('a stranger that has the name of a part is not taken', async () => {
    const cloud = new ToyCloud('name');
    cloud.put('port', 'm-port', { tags: tagsOf('m', { cluster: 'cluster-2', token: 'other' }) });
    const failure = await failureOf(toyDriver(cloud, { hasParts }).createInstance(toyRequest('m')));
    expect(failure).toEqual({
      code: 'AlreadyExists',
      settled: true,
      message: 'port m-port exists',
    });
  });

  test('one that failed is deleted where failed instances are, and made again', async () => {
    const cloud = new ToyCloud('nothing');
    cloud.dying.add('volume');
    const driver = toyDriver(cloud, { hasParts, deletesFailed: true });
    const failure = await failureOf(driver.createInstance(toyRequest('m')));
    expect(failure).toMatchObject({ code: 'Aborted', settled: false });
    expect(cloud.words()).toEqual(['port m-port']);
    cloud.dying.clear();
    await driver.createInstance(toyRequest('m'));
    expect(cloud.words()).toEqual(all);
  });

  test('are not made for an instance that is there', async () => {
    const cloud = new ToyCloud();
    cloud.put('server', 'm', { tags: tagsOf('m', { token: 'old' }) });
    await toyDriver(cloud, { hasParts }).createInstance(toyRequest('m'));
    expect(cloud.words()).toEqual(['server m']);
  });

  test('a providerID of a part names no instance', async () => {
    const cloud = new ToyCloud();
    const driver = toyDriver(cloud, { hasParts });
    await driver.createInstance(toyRequest('m'));
    const request = toyRequest('m', { providerID: 'toy:///port/port-1' });
    expect(await failureOf(driver.createInstance(request))).toMatchObject({ code: 'NotFound' });
    expect(await driver.describeInstance(request)).toBeUndefined();
    expect(cloud.made).toEqual(all);
  });

  test('the operation of one that failed is not settled where another was made', async () => {
    const cloud = new ToyCloud();
    cloud.hasOperations = true;
    cloud.dying.add('server');
    const driver = toyDriver(cloud, { hasParts }, impatient);
    const failure = failureOf(createdBy(driver, toyRequest('m')));
    expect(await failure).toMatchObject({ code: 'ResourceExhausted', settled: false });
    expect(cloud.words()).toEqual(all.slice(0, 3));
  });

  test('the operation of a part is waited for by its name', async () => {
    const cloud = new ToyCloud('nothing');
    Object.assign(cloud, { hasOperations: true, looks: 2 });
    const driver = toyDriver(cloud, { hasParts }, impatient);
    await createdBy(driver, toyRequest('m'));
    expect(cloud.made).toEqual(all);
  });
});

describe('whose a thing is', () => {
  test('a name of which a search knows only the beginning is not the Machine', async () => {
    const cloud = new ToyCloud('nothing');
    const driver = toyDriver(cloud);
    await driver.createInstance(toyRequest('m-10'));
    expect(await driver.describeInstance(toyRequest('m-1'))).toBeUndefined();
    expect(await driver.deleteInstance(toyRequest('m-1'))).toEqual({ found: false });
    await driver.createInstance(toyRequest('m-1'));
    expect(cloud.words()).toEqual(['server m-10', 'server m-1']);
  });

  test('several of one name are out of range', async () => {
    const cloud = new ToyCloud();
    for (const token of ['a', 'b']) cloud.put('server', 'm', { tags: tagsOf('m', { token }) });
    expect(await failureOf(toyDriver(cloud).describeInstance(toyRequest('m')))).toEqual({
      code: 'OutOfRange',
      settled: false,
      message: 'several servers are called m: server-1, server-2. Delete those that are not wanted',
    });
  });

  test('one that another Machine claims is not taken', async () => {
    const cloud = new ToyCloud('name');
    cloud.put('server', 'm', { tags: tagsOf('m', { token: 'old' }) });
    const request = toyRequest('m', { isClaimed: (id) => id === 'toy:///server/server-1' });
    expect(await failureOf(toyDriver(cloud).createInstance(request))).toEqual({
      code: 'AlreadyExists',
      settled: true,
      message:
        'a server called m exists and is not of this Machine: its tags or another Machine say so',
    });
  });

  test('late tags: a young namesake is waited for, and an old one is a stranger', async () => {
    const cloud = new ToyCloud('name');
    cloud.tagsComeLate = true;
    const driver = toyDriver(cloud);
    const thing = cloud.put('server', 'm', { createdAt: Date.now() });
    expect(await pendingOf(driver.createInstance(toyRequest('m')))).toMatchObject({
      message: 'toys: server m has no tags yet',
    });
    thing.createdAt = Date.now() - 31_000;
    const failure = await failureOf(driver.createInstance(toyRequest('m')));
    expect(failure).toMatchObject({ code: 'AlreadyExists', settled: true });
  });

  test('late tags: what an operation made is not given up before they are there', async () => {
    const cloud = new ToyCloud('nothing');
    Object.assign(cloud, { tagsComeLate: true, hasOperations: true });
    const driver = toyDriver(cloud, {}, impatient);
    const first = await pendingOf(driver.createInstance(toyRequest('m')));
    Object.assign(cloud.things[0] ?? {}, { createdAt: Date.now() });
    const more = { checkpoint: first.checkpoint ?? '' };
    const second = await pendingOf(driver.createInstance(toyRequest('m', more)));
    expect(second.message).toBe('toys: server m has no tags yet');
    Object.assign(cloud.things[0] ?? {}, { tags: tagsOf('m') });
    expect(await driver.createInstance(toyRequest('m'))).toMatchObject({ found: true });
    expect(cloud.made).toEqual(['server m']);
  });

  test('describe shows an instance that is coming', async () => {
    const cloud = new ToyCloud();
    cloud.put('server', 'm', { state: 'coming', tags: tagsOf('m') });
    expect(await toyDriver(cloud).describeInstance(toyRequest('m'))).toMatchObject({
      providerID: 'toy:///server/server-1',
    });
  });
});

describe('an instance that fails as it is made', () => {
  const dead = 'server m is failed before it was of use';

  test('stays, and nothing is settled', async () => {
    const cloud = new ToyCloud();
    cloud.dying.add('server');
    const driver = toyDriver(cloud);
    const create = () => failureOf(driver.createInstance(toyRequest('m')));
    const failure = { code: 'Aborted', settled: false, message: dead };
    expect([await create(), await create()]).toEqual([failure, failure]);
    expect(cloud.made).toEqual(['server m']);
  });

  test('is deleted where the description says so, and the next token makes another', async () => {
    const cloud = new ToyCloud();
    cloud.dying.add('server');
    cloud.looks = 2;
    const driver = toyDriver(cloud, { deletesFailed: true }, impatient);
    const messages = new Set<string>();
    const create = followed(
      (more) => driver.createInstance(toyRequest('m', more)),
      ({ message }) => void messages.add(message),
    );
    expect(await failureOf(create)).toEqual({ code: 'Aborted', settled: true, message: dead });
    expect([...messages]).toEqual([`toys: server m has failed and is being deleted: ${dead}`]);
    expect(cloud.words()).toEqual([]);
  });

  test('is kept where the Machine has it already', async () => {
    const cloud = new ToyCloud();
    cloud.put('server', 'm', { state: 'failed', tags: tagsOf('m') });
    const request = toyRequest('m', { providerID: 'toy:///server/server-1' });
    const driver = toyDriver(cloud, { deletesFailed: true });
    expect(await driver.createInstance(request)).toMatchObject({ found: true });
  });
});

describe('checkpoints', () => {
  const strangers = [
    'no JSON',
    '[]',
    JSON.stringify({ insert: { requestId: 'another', operation: 'op-9' } }),
    JSON.stringify({ insert: { requestId: 'uid-of-m-0', operation: '../servers' } }),
    JSON.stringify({ insert: { requestId: 'uid-of-m-0', operation: 'op-9' } }),
    JSON.stringify({ insert: { requestId: 'uid-of-m-0', operation: 'op-9', part: 'disk m' } }),
    JSON.stringify({ failed: { requestId: 'uid-of-m-0', ref: 'server-1', meaning: 'odd' } }),
  ];

  test.each(strangers)('%s: it begins from the beginning', async (checkpoint) => {
    const cloud = new ToyCloud();
    const request = toyRequest('m', { checkpoint });
    expect(await toyDriver(cloud).createInstance(request)).toMatchObject({ found: false });
    expect(await toyDriver(cloud).deleteInstance(request)).toEqual({ found: true });
  });

  test('nothing is deleted that has another token, whatever stands in a checkpoint', async () => {
    const cloud = new ToyCloud();
    cloud.put('server', 'victim', { tags: tagsOf('victim') });
    const failed = {
      requestId: 'uid-of-m-0',
      ref: 'server-1',
      meaning: 'capacity',
      message: 'no room',
    };
    const request = toyRequest('m', { checkpoint: JSON.stringify({ failed }) });
    const failure = await failureOf(toyDriver(cloud).createInstance(request));
    expect(failure).toMatchObject({ code: 'ResourceExhausted', settled: true });
    expect(cloud.words()).toEqual(['server victim']);
  });

  test('an operation that the cloud has forgotten makes no second instance', async () => {
    const cloud = new ToyCloud('nothing');
    cloud.put('server', 'm', { tags: tagsOf('m') });
    const checkpoint = JSON.stringify({ insert: { requestId: 'uid-of-m-0', operation: 'op-9' } });
    const request = toyRequest('m', { checkpoint });
    expect(await toyDriver(cloud).createInstance(request)).toMatchObject({ found: true });
  });
});

test('one that may die at once is looked at once more', async () => {
  const cloud = new ToyCloud();
  cloud.hasOperations = true;
  const confirmation = { seconds: 10, of: () => true, what: 'spot server' };
  const driver = toyDriver(cloud, { confirmation });
  const first = await pendingOf(driver.createInstance(toyRequest('m')));
  expect(first).toMatchObject({
    pollAfterSeconds: 10,
    message: 'toys: spot server m has come up and is looked at once more',
  });
  const request = toyRequest('m', { checkpoint: first.checkpoint ?? '' });
  expect(await driver.createInstance(request)).toMatchObject({ found: false });
});

test('a call that is cancelled while it waits says so, and is not settled', async () => {
  const cloud = new ToyCloud();
  cloud.looks = 1_000_000;
  const driver = toyDriver(cloud, {}, { waitSeconds: 600, firstPauseSeconds: 500 });
  const stopped = new AbortController();
  const call = failureOf(driver.createInstance(toyRequest('m', { signal: stopped.signal })));
  while (cloud.made.length === 0) await Promise.resolve();
  stopped.abort();
  expect(await call).toEqual({
    code: 'Canceled',
    settled: false,
    message: 'cancelled while it waited for toys',
  });
});

test('what an instance needs once it is there is done once', async () => {
  const cloud = new ToyCloud();
  const done = new Set<string>();
  const initialize = {
    isNeeded: ({ ref }: ToyThing) => !done.has(ref),
    run: async (_cloud: ToyCloud, thing: ToyThing) => {
      if (done.has(thing.ref)) throw new Error('twice');
      done.add(thing.ref);
      return thing;
    },
  };
  const driver = toyDriver(cloud, { initialize });
  await driver.createInstance(toyRequest('m'));
  await driver.initializeInstance(toyRequest('m'));
  expect(await driver.initializeInstance(toyRequest('m'))).toMatchObject({ nodeName: 'm' });
  expect([...done]).toEqual(['server-1']);
});

test('a refused retag keeps the instance, and says what the cloud said', async () => {
  const cloud = new ToyCloud();
  cloud.put('server', 'm', { tags: tagsOf('m', { cluster: 'cluster-0', token: 'old' }) });
  const driver = toyDriver(cloud, { retag }, { allowsRetagging: true });
  const request = toyRequest('m', { providerID: 'toy:///server/server-1' });
  expect(await driver.createInstance(request)).toMatchObject({
    found: true,
    lastKnownState: 'server m keeps the tags of an earlier cluster: toys: not allowed',
  });
});
