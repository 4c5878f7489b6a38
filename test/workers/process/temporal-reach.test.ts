import { Registry } from 'prom-client';
import { measuredReach, TemporalReach } from '../../../workers/process/temporal-reach.ts';
import { HandSystem } from '../../support/hand-system.ts';

function aReach(ask: () => Promise<unknown>) {
  const system = new HandSystem();
  const reach = system.run(() => new TemporalReach({ address: 'temporal:7233', ask }));
  return {
    reach,
    to: (milliseconds: number) => system.run(() => system.to(milliseconds)),
    fault: () => system.run(() => reach.fault()),
  };
}

test('a process is not ready when Temporal has been silent for a minute, and is when it answers', async () => {
  let isUp = true;
  const { to, fault } = aReach(async () => {
    if (!isUp) throw new Error('no connection');
  });
  await to(600_000);
  expect(fault()).toBeUndefined();
  isUp = false;
  await to(660_000);
  expect(fault()).toBeUndefined();
  await to(665_000);
  expect(fault()).toBe('Temporal at temporal:7233 has not answered for 65 s: no connection');
  isUp = true;
  await to(675_000);
  expect(fault()).toBeUndefined();
});

test('a server that refuses the question answers: what it says is the reason', async () => {
  const { to, fault } = aReach(async () => {
    throw Object.assign(new Error('5 NOT_FOUND: Namespace machines is not found.'), { code: 5 });
  });
  await to(75_000);
  expect(fault()).toBe(
    'Temporal at temporal:7233 has refused for 75 s: 5 NOT_FOUND: Namespace machines is not found.',
  );
});

test('a call that gets no answer is not asked again beside it, and counts as silence', async () => {
  let calls = 0;
  const { to, fault } = aReach(() => {
    calls += 1;
    return new Promise(() => undefined);
  });
  await to(120_000);
  expect([calls, fault()]).toEqual([1, 'Temporal at temporal:7233 has not answered for 120 s']);
});

test('nothing is asked any more after the end', async () => {
  let calls = 0;
  const { reach, to } = aReach(async () => (calls += 1));
  await to(30_000);
  reach.close();
  await to(300_000);
  expect(calls).toBe(2);
});

test('metrics say whether Temporal answers, and how fast', async () => {
  const registry = new Registry();
  const system = new HandSystem();
  let isUp = true;
  const ask = async (): Promise<void> => {
    if (!isUp) throw new Error('no connection');
  };
  const reach = system.run(() => measuredReach(registry, { address: 'temporal:7233', ask }));
  await system.run(() => system.to(31_000));
  const text = await registry.metrics();
  expect(text).toContain('millwright_temporal_reachable 1');
  expect(text).toContain('millwright_temporal_check_duration_seconds_count 2');
  isUp = false;
  await system.run(() => system.to(46_000));
  expect(await registry.metrics()).toContain('millwright_temporal_reachable 0');
  expect(await registry.metrics()).toContain('millwright_temporal_check_duration_seconds_count 2');
  isUp = true;
  await system.run(() => system.to(61_000));
  expect(await registry.metrics()).toContain('millwright_temporal_reachable 1');
  reach.close();
});
