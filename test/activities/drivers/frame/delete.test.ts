import { failureOf } from '../failure-of.ts';
import { deletedBy, followed, pendingOf } from '../following.ts';
import { impatient, tagsOf, ToyCloud, toyDriver, toyRequest } from './toy-cloud.ts';

const hasParts = true;

async function aMachine(cloud: ToyCloud): Promise<void> {
  await toyDriver(cloud, { hasParts }).createInstance(toyRequest('m'));
}

const removals = (cloud: ToyCloud): string[] =>
  cloud.wire.words().filter((word) => word.startsWith('remove'));

test('the instance goes first, and its parts in reverse', async () => {
  const cloud = new ToyCloud();
  await aMachine(cloud);
  expect(await toyDriver(cloud, { hasParts }).deleteInstance(toyRequest('m'))).toEqual({
    found: true,
  });
  expect(removals(cloud)).toEqual([
    'remove server',
    'remove volume',
    'remove volume',
    'remove port',
  ]);
});

test.each([false, true])('over several calls it is still found (operations: %s)', async (has) => {
  const cloud = new ToyCloud();
  await aMachine(cloud);
  Object.assign(cloud, { looks: 2, hasOperations: has });
  const driver = toyDriver(cloud, { hasParts }, impatient);
  const { answer, pendings } = await followed((more) =>
    driver.deleteInstance(toyRequest('m', more)),
  );
  expect(answer).toEqual({ found: true });
  expect(cloud.things).toEqual([]);
  const both = pendings.find(({ message }) => message.includes(';'));
  expect(both?.message).toMatch(
    /^toys: volume m-a is being deleted .*; toys: volume m-b is being deleted/,
  );
});

test('a search of a later part that fails is asked again, and the rest is deleted then', async () => {
  const cloud = new ToyCloud();
  await aMachine(cloud);
  cloud.wire.add({ matches: ({ path }) => path === 'search port', fault: { kind: 'cutBefore' } });
  const driver = toyDriver(cloud, { hasParts });
  expect(await failureOf(driver.deleteInstance(toyRequest('m')))).toMatchObject({
    code: 'Unavailable',
  });
  expect(cloud.words()).toEqual(['port m-port']);
  const checkpoint = JSON.stringify({ deletions: [{ id: 'server-4' }] });
  const request = toyRequest('m', { checkpoint });
  expect((await pendingOf(driver.deleteInstance(request))).message).toBe(
    'toys: server m is being deleted (the last look failed: toys: search port: cut)',
  );
  cloud.wire.clear();
  expect(await driver.deleteInstance(request)).toEqual({ found: true });
  expect(cloud.things).toEqual([]);
});

test('what is protected stays, and the message says why', async () => {
  const cloud = new ToyCloud();
  const tags = { ...tagsOf('m'), protection: 'server m is locked: unlock it' };
  cloud.put('server', 'm', { tags });
  expect(await failureOf(toyDriver(cloud).deleteInstance(toyRequest('m')))).toMatchObject({
    code: 'FailedPrecondition',
    message: 'server m is locked: unlock it',
  });
  expect(cloud.words()).toEqual(['server m']);
});

describe('parts of an instance that another cluster made', () => {
  const older = { cluster: 'cluster-0', token: 'old' };

  function adopted(): ToyCloud {
    const cloud = new ToyCloud();
    cloud.put('port', 'm-port', { machineName: 'm', tags: tagsOf('m', older) });
    cloud.put('server', 'm', { tags: tagsOf('m', older) });
    return cloud;
  }

  test.each([0, 2])('go with it (%i looks)', async (looks) => {
    const cloud = adopted();
    cloud.looks = looks;
    const request = toyRequest('m', { providerID: 'toy:///server/server-2' });
    await deletedBy(toyDriver(cloud, { hasParts }, impatient), request);
    expect(cloud.things).toEqual([]);
  });

  test('stay without it: the other cluster may have another Machine of that name', async () => {
    const cloud = adopted();
    await toyDriver(cloud, { hasParts }).deleteInstance(toyRequest('m'));
    expect(cloud.words()).toEqual(['port m-port', 'server m']);
  });

  test('of another attempt there stay', async () => {
    const cloud = adopted();
    const tags = tagsOf('m', { ...older, token: 'newer' });
    cloud.put('port', 'm-port', { machineName: 'm', tags });
    const request = toyRequest('m', { providerID: 'toy:///server/server-2' });
    await toyDriver(cloud, { hasParts }).deleteInstance(request);
    expect(cloud.words()).toEqual(['port m-port']);
  });
});

describe('listings', () => {
  const request = { ...toyRequest('any'), namespace: 'shoot' };

  test('show a part without its instance under the name of its Machine', async () => {
    const cloud = new ToyCloud();
    await aMachine(cloud);
    const driver = toyDriver(cloud, { hasParts });
    const names = async () =>
      (await driver.listInstances(request)).map((one) => [one.providerID, one.machineName]);
    expect(await names()).toEqual([['toy:///server/server-4', 'm']]);
    cloud.things.pop();
    expect(await names()).toEqual([
      ['toy:///port/port-1', 'm'],
      ['toy:///volume/volume-2', 'm'],
      ['toy:///volume/volume-3', 'm'],
    ]);
  });

  test('what they show of a part is deleted alone', async () => {
    const cloud = new ToyCloud();
    await aMachine(cloud);
    cloud.things.pop();
    const driver = toyDriver(cloud, { hasParts });
    const listed = { ...request, providerID: 'toy:///volume/volume-2' };
    expect(await driver.deleteListed({ ...listed, cluster: 'cluster-2' })).toEqual({
      found: false,
    });
    expect(await driver.deleteListed(listed)).toEqual({ found: true });
    expect(await driver.deleteListed(listed)).toEqual({ found: false });
    expect(cloud.words()).toEqual(['port m-port', 'volume m-b']);
  });

  test('a deletion of a listed one that takes too long is unanswered, and not pending', async () => {
    const cloud = new ToyCloud();
    await aMachine(cloud);
    cloud.looks = 3;
    const driver = toyDriver(cloud, { hasParts }, { orphanWaitSeconds: 0 });
    const listed = { ...request, providerID: 'toy:///server/server-4' };
    expect(await failureOf(driver.deleteListed(listed))).toMatchObject({
      code: 'DeadlineExceeded',
      message: 'toys: server m is being deleted (going)',
    });
  });
});
