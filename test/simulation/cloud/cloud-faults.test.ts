/** What a driver sees of a cloud that fails, and what the cloud did. */
import { aRequest } from '../../activities/drivers/a-request.ts';
import { failureOf } from '../../activities/drivers/failure-of.ts';
import { Chance } from '../engine/chance.ts';
import { aSimulatedCloud } from './a-simulated-cloud.ts';
import type { ASimulatedCloud } from './a-simulated-cloud.ts';
import { allCloudTrouble } from './transport.ts';

const hourMs = 3_600_000;
const listing = { cluster: 'cluster-1', namespace: 'shoot', providerSpec: {}, secret: {} };

/** Of the create alone, without the search before it. */
function orderOf({ transport }: ASimulatedCloud, token: string, more: object = {}) {
  const { signal } = new AbortController();
  const body = { name: 'm', token, ...more };
  return () => transport({ method: 'POST', path: '/instances', body, signal });
}

async function listed({ driver }: ASimulatedCloud): Promise<string[]> {
  const { signal } = new AbortController();
  const found = await driver.listInstances({ ...listing, signal });
  return found.map(({ machineName }) => machineName);
}

describe('calls', () => {
  test('a lost answer: the work is done once, and the next create finds it', async () => {
    const simulated = aSimulatedCloud({ lostAnswers: 1 });
    const { cloud, driver, done, weather } = simulated;
    await expect(done(orderOf(simulated, 'uid-of-m-0'))).rejects.toThrow('other side closed');
    expect(cloud.records).toMatchObject([{ creates: 1, createdBy: 'worker-1' }]);
    weather.clear();
    expect(await driver.createInstance(aRequest('m'))).toMatchObject({ found: true });
    expect(cloud.records).toHaveLength(1);
  });

  test('throttled: nothing is made, and the cloud says when to ask again', async () => {
    const { driver, cloud, weather } = aSimulatedCloud({ throttled: 1 });
    expect(await failureOf(driver.createInstance(aRequest('m')))).toMatchObject({
      code: 'Unavailable',
      kind: 'throttling',
      retryAfterSeconds: expect.any(Number),
    });
    expect(cloud.records).toEqual([]);
    weather.clear();
    expect(await driver.createInstance(aRequest('m'))).toMatchObject({ found: false });
  });

  test('a hung call ends with the limit of the driver, and does nothing', async () => {
    const { driver, simulation, cloud } = aSimulatedCloud({ hung: 1 });
    const before = simulation.now;
    const failure = await failureOf(driver.createInstance(aRequest('m')));
    expect(failure).toMatchObject({ code: 'DeadlineExceeded', settled: false });
    expect(simulation.now - before).toBe(30_000);
    expect(cloud.records).toEqual([]);
  });

  test('a breakdown says nothing of whether the work was done', async () => {
    const simulated = aSimulatedCloud({ broken: 0.5, foreignAnswers: 0.5 });
    const { cloud, done } = simulated;
    const made = new Set<boolean>();
    for (let count = 0; count < 40; count += 1) {
      const before = cloud.records.length;
      const { statusCode, text } = await done(orderOf(simulated, `t-${count}`));
      if (statusCode < 300 && text.startsWith('{')) continue;
      made.add(cloud.records.length > before);
    }
    expect(made).toEqual(new Set([true, false]));
  });

  test('refused credentials hold for a while, whatever the call', async () => {
    const { driver, trouble, simulation } = aSimulatedCloud({ credentials: 1 });
    const failure = { kind: 'credentials' };
    expect(await failureOf(driver.describeInstance(aRequest('m')))).toMatchObject(failure);
    trouble.credentials = 0;
    expect(await failureOf(driver.describeInstance(aRequest('m')))).toMatchObject(failure);
    await simulation.run(simulation.now + hourMs);
    expect(await driver.describeInstance(aRequest('m'))).toBeUndefined();
  });
});

describe('what the cloud has not got', () => {
  test('a full zone or quota holds for a while, and not for a token that is known', async () => {
    const simulated = aSimulatedCloud();
    const { driver, trouble, simulation, done } = simulated;
    await done(orderOf(simulated, 'known'));
    trouble.exhausted = 1;
    const refused = (name: string) => failureOf(driver.createInstance(aRequest(name)));
    expect(await refused('m-1')).toMatchObject({ code: 'ResourceExhausted', settled: true });
    expect(await done(orderOf(simulated, 'known'))).toMatchObject({ statusCode: 200 });
    trouble.exhausted = 0;
    expect(await refused('m-1')).toMatchObject({ code: 'ResourceExhausted', settled: true });
    await simulation.run(simulation.now + hourMs);
    expect(await driver.createInstance(aRequest('m-1'))).toMatchObject({ found: false });
  });

  test('what is full or not offered is one size in one zone', async () => {
    const { driver, trouble } = aSimulatedCloud({ notOffered: 1 });
    const one = aRequest('m', { providerSpec: { zone: 'b', size: 'large' } });
    const refusal = { code: 'InvalidArgument', kind: 'input', settled: true };
    expect(await failureOf(driver.createInstance(one))).toMatchObject(refusal);
    trouble.notOffered = 0;
    expect(await failureOf(driver.createInstance(one))).toMatchObject(refusal);
    const other = { ...one, providerSpec: { zone: 'c', size: 'large' } };
    expect(await driver.createInstance(other)).toMatchObject({ found: false });
  });
});

describe('the settle window', () => {
  test.each([1, 20])('a new instance may be listed late, but within %i s', async (seconds) => {
    const simulated = aSimulatedCloud({ lateLists: 1 }, { settleSeconds: seconds });
    const { driver, cloud, simulation } = simulated;
    await driver.createInstance(aRequest('m'));
    const [record] = cloud.records;
    const lateMs = (record?.listedFrom ?? 0) - (record?.createdAt ?? 0);
    expect(lateMs).toBeGreaterThan(seconds === 1 ? 0 : 1_000);
    expect(driver.settleSeconds).toBe(seconds);
    await simulation.run((record?.createdAt ?? 0) + driver.settleSeconds * 1_000);
    expect(await listed(simulated)).toEqual(['m']);
  });

  test('a create that was given up shows within it, or not at all', async () => {
    const { transport, simulation, cloud } = aSimulatedCloud({ slow: 1 });
    const chance = new Chance(1);
    for (let count = 0; count < 100; count += 1) {
      const giveUp = new AbortController();
      const body = { name: 'm', token: `t-${count}` };
      const { signal } = giveUp;
      const outcome = transport({ method: 'POST', path: '/instances', body, signal }).catch(
        ({ name }: Error) => name,
      );
      await simulation.run(simulation.now + chance.between(0, 60_000));
      giveUp.abort();
      await simulation.run(simulation.now + 1_000);
      const made = cloud.records.length;
      await simulation.run(simulation.now + 2 * hourMs);
      expect(cloud.records).toHaveLength(made);
      await outcome;
    }
    expect(cloud.records.length).toBeGreaterThan(20);
    expect(cloud.records.length).toBeLessThan(100);
  });

  test('a create that arrives twice makes nothing after it was refused', async () => {
    const calls = { doubledCalls: 1 };
    const simulated = aSimulatedCloud({ throttled: 0.5 }, { calls });
    const { simulation, cloud, done } = simulated;
    const accepted = new Set<string>();
    for (let count = 0; count < 40; count += 1) {
      const { statusCode } = await done(orderOf(simulated, `t-${count}`));
      if (statusCode === 201) accepted.add(`t-${count}`);
    }
    await simulation.run(simulation.now + hourMs);
    expect(new Set(cloud.records.map(({ token }) => token))).toEqual(accepted);
    expect(accepted.size).toBeGreaterThan(10);
    expect(accepted.size).toBeLessThan(30);
    expect(cloud.records.some(({ creates }) => creates === 2)).toBe(true);
  });

  test('a create of a process that was killed shows within it, or not at all', async () => {
    const outcomes = new Set<number>();
    for (let seed = 1; seed <= 30; seed += 1) {
      const simulated = aSimulatedCloud({ slow: 1 }, { seed });
      const { simulation, process, cloud } = simulated;
      void orderOf(simulated, 't')();
      await simulation.run(simulation.now + 10_000);
      process.kill();
      await simulation.run(simulation.now + 1_000);
      const made = cloud.records.length;
      await simulation.run(simulation.now + hourMs);
      expect(cloud.records).toHaveLength(made);
      outcomes.add(made);
    }
    expect(outcomes).toEqual(new Set([0, 1]));
  });
});

describe('what no process of ours did', () => {
  test('instances of others are listed for none of us, and orphans for their namespace', async () => {
    const simulated = aSimulatedCloud({ foreignAnHour: 60, orphansAnHour: 20 });
    const { driver, simulation, cloud, weather } = simulated;
    await driver.createInstance(aRequest('m'));
    await simulation.run(simulation.now + hourMs);
    weather.clear();
    const names = await listed(simulated);
    const strangers = cloud.records.filter(({ createdBy }) => createdBy === 'cloud');
    expect(names.length).toBeGreaterThan(5);
    expect(strangers.length).toBeGreaterThan(names.length + 20);
    expect(strangers.some(({ name }) => name === 'm')).toBe(true);
    expect(names.filter((name) => name === 'm')).toEqual(['m']);
    await simulation.run(simulation.now + hourMs);
    expect(cloud.records).toHaveLength(strangers.length + 1);
  });

  test('an instance that vanished is gone for the driver, and stays on record', async () => {
    const { driver, cloud } = aSimulatedCloud();
    const { providerID } = await driver.createInstance(aRequest('m'));
    cloud.vanish(cloud.records[0]?.id ?? '');
    expect(await driver.describeInstance(aRequest('m', { providerID }))).toBeUndefined();
    expect(await driver.deleteInstance(aRequest('m', { providerID }))).toEqual({ found: false });
    expect(cloud.records).toMatchObject([{ name: 'm', deletedBy: 'cloud' }]);
    expect([...cloud.living]).toEqual([]);
  });
});

test('a seed decides everything', async () => {
  const fingerprints = await Promise.all(
    [7, 7, 8].map(async (seed) => {
      const { driver, simulation } = aSimulatedCloud(allCloudTrouble, { seed });
      for (let count = 0; count < 20; count += 1) {
        await driver.createInstance(aRequest(`m-${count}`)).catch(() => undefined);
      }
      await simulation.run(simulation.now + hourMs);
      return simulation.timeline.fingerprint;
    }),
  );
  expect(fingerprints[0]).toBe(fingerprints[1]);
  expect(fingerprints[0]).not.toBe(fingerprints[2]);
});
