import { Registry } from 'prom-client';
import { Leaderless, registerLeaderlessMetric } from '../../../workers/process/leaderless.ts';

let hasLeader = true;
let now = 0;
const made: Leaderless[] = [];

afterEach(() => {
  for (const leaderless of made.splice(0)) leaderless.close();
});

function aProcess(): Leaderless {
  hasLeader = true;
  now = 0;
  const leaderless = new Leaderless({ hasLeader: () => hasLeader, now: () => now });
  made.push(leaderless);
  return leaderless;
}

test('a process without any leader is at fault after five minutes, and not before', () => {
  const leaderless = aProcess();
  hasLeader = false;
  now = 299_000;
  expect(leaderless.fault()).toBeUndefined();
  now = 300_000;
  expect(leaderless.fault()).toBe('no watcher has led for 300 s');
});

test('a process is at fault no more as soon as there is a leader, and counts anew afterwards', () => {
  const leaderless = aProcess();
  hasLeader = false;
  now = 400_000;
  expect(leaderless.fault()).toBeDefined();
  hasLeader = true;
  expect(leaderless.fault()).toBeUndefined();
  hasLeader = false;
  now = 500_000;
  expect(leaderless.fault()).toBeUndefined();
});

test('the metric says for how long there has been no leader', async () => {
  const leaderless = aProcess();
  const registry = new Registry();
  registerLeaderlessMetric(registry, new Map([['shoot', leaderless]]));
  hasLeader = false;
  now = 42_500;
  expect(await registry.metrics()).toContain(
    'millwright_leaderless_seconds{kube_namespace="shoot"} 42',
  );
});
