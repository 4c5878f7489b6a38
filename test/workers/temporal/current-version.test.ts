import { CurrentVersion, versionFault } from '../../../workers/temporal/current-version.ts';
import type { QueueVersions } from '../../../workers/temporal/queue-status.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { logLines } from '../log/log-lines.ts';

const deploymentName = 'shoot_millwright';
const own = { deploymentName, buildId: '0.2.0-b' };
const before = { deploymentName, buildId: '0.1.0-a' };
const line =
  'millwright setup --current=0.2.0-b --deployment=shoot_millwright --temporal-namespace=machines';

function faultOf(found: QueueVersions): string | undefined {
  return versionFault(own, found, 'machines');
}

describe('a worker with a version', () => {
  test.each([
    ['its version is current', own, [own]],
    ['it stands by beside the current one', before, [own, before]],
    ['it stands by beside workers without a version', undefined, [own, undefined]],
  ])('is ready when %s', (_name, current, polling) => {
    expect(faultOf({ current, polling })).toBeUndefined();
  });

  test('is not ready while no version is current, and says the line', () => {
    expect(faultOf({ current: undefined, polling: [own] })).toBe(
      `version 0.2.0-b of shoot_millwright gets no work: no version is the current one. Run: ${line}`,
    );
  });

  test('is not ready beside a current version without workers, and says the line', () => {
    expect(faultOf({ current: before, polling: [own, undefined] })).toBe(
      `version 0.2.0-b of shoot_millwright gets no work: the current version is version 0.1.0-a of shoot_millwright, and no worker of it is there. Run: ${line}`,
    );
  });

  test('is not taken for one of another deployment with the same build id', () => {
    const other = { deploymentName: 'garden_millwright', buildId: own.buildId };
    expect(faultOf({ current: other, polling: [own] })).toContain('gets no work');
  });
});

function watching(ask: () => Promise<QueueVersions>) {
  const system = new HandSystem();
  const end = new AbortController();
  const { log, lines } = logLines();
  const options = { version: own, namespace: 'machines', ask, log, signal: end.signal };
  const watch = system.run(() => new CurrentVersion(options));
  return { watch, end, lines, to: (ms: number) => system.run(() => system.to(ms)) };
}

test('a worker is not ready before it knows, waits for its version, and says both in its log', async () => {
  let current: QueueVersions['current'];
  const { watch, lines, to } = watching(async () => ({ current, polling: [own] }));
  expect(watch.fault()).toContain('finds out whether version 0.2.0-b');
  await to(1);
  expect(watch.fault()).toContain(line);
  current = own;
  await to(6_000);
  expect(watch.fault()).toBeUndefined();
  await to(600_000);
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringContaining(line),
    'is the current version',
  ]);
});

test('once its version is current, a worker asks once a minute at most, and sees when that ends', async () => {
  let calls = 0;
  let current = own;
  const { watch, end, to } = watching(async () => {
    calls += 1;
    return { current, polling: [own] };
  });
  await to(600_000);
  expect([calls, watch.fault()]).toEqual([10, undefined]);
  current = before;
  await to(666_000);
  expect(watch.fault()).toContain('no worker of it is there');
  end.abort();
  calls = 0;
  await to(1_000_000);
  expect(calls).toBe(0);
});

test('a server that does not answer changes nothing, and is said once', async () => {
  let isUp = true;
  const { watch, lines, to } = watching(async () => {
    if (!isUp) throw new Error('no connection');
    return { current: own, polling: [own] };
  });
  await to(1);
  isUp = false;
  await to(600_000);
  expect(watch.fault()).toBeUndefined();
  expect(lines.filter(({ msg }) => msg.startsWith('cannot find out'))).toHaveLength(1);
});
