import { AccountPace } from '../../../workers/drivers/account-pace.ts';
import { HandSystem } from '../../support/hand-system.ts';

interface World {
  pace: AccountPace;
  system: HandSystem;
  /** Milliseconds that each of these callers is to wait. */
  turns(...callers: string[]): number[];
}

/** A world in which a second ago so many calls were made. */
function aWorld({ callsBefore }: { callsBefore: number }): World {
  const system = new HandSystem();
  const pace = new AccountPace();
  const turns = (...callers: string[]): number[] =>
    callers.map((caller) => system.run(() => pace.turn(caller)));
  turns(...names(callsBefore));
  return { pace, system, turns };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `m-${i}`);

function throttle(
  { pace, system }: World,
  retryAfterSeconds?: number,
  begunAt = system.monotonic(),
) {
  // Each time another one.
  const caller = `refused at ${begunAt} for ${retryAfterSeconds} s`;
  return system.run(() => pace.throttled({ caller, begunAt, retryAfterSeconds }));
}

test('there is no limit before the cloud names one', () => {
  const { turns } = aWorld({ callsBefore: 0 });
  expect(new Set(turns(...names(1_000)))).toEqual(new Set([0]));
});

describe('after a throttled call', () => {
  test('no call is made before the cloud wants to be asked, and then one after the other', async () => {
    const world = aWorld({ callsBefore: 20 });
    throttle(world, 12);
    // 20 calls in 10 s were 2 a second: now it is one, and it grows while they wait.
    const [first, second = 0, third = 0] = world.turns('a', 'b', 'c');
    expect(first).toBe(12_000);
    expect(second).toBeCloseTo(13_000);
    expect(third - second).toBeCloseTo(1_000 / 1.2);
    await world.system.to(11_999);
    expect(world.turns('d')[0]).toBeGreaterThan(0);
  });

  test('each who comes back by its time goes through, and none before it', async () => {
    const world = aWorld({ callsBefore: 20 });
    throttle(world, 12);
    const [, second = 0] = world.turns('a', 'b');
    await world.system.to(12_500);
    expect(world.turns('a', 'b')).toEqual([0, second - 12_500]);
    await world.system.to(14_000);
    expect(world.turns('b')).toEqual([0]);
  });

  test('who asks again early keeps its place', () => {
    const world = aWorld({ callsBefore: 20 });
    throttle(world, 12);
    expect(world.turns('a', 'b', 'a', 'a')).toEqual([12_000, 13_000, 12_000, 12_000]);
  });

  test('a pause of the cloud that does not say how long lasts as long as one call', () => {
    const world = aWorld({ callsBefore: 100 });
    throttle(world);
    expect(world.turns('a')).toEqual([200]);
  });

  test('a day of pause is an hour', () => {
    const world = aWorld({ callsBefore: 20 });
    throttle(world, 86_400);
    expect(world.turns('a')).toEqual([3_600_000]);
  });
});

describe('calls that were refused together', () => {
  test('halve the pace once', () => {
    const world = aWorld({ callsBefore: 40 });
    for (let i = 0; i < 10; i += 1) throttle(world, 5, -i);
    const [first = 0, second = 0] = world.turns('a', 'b');
    expect(second - first).toBeCloseTo(500);
  });

  test('wait for the longest pause of all', () => {
    const world = aWorld({ callsBefore: 40 });
    for (const seconds of [5, 9, 7]) throttle(world, seconds, 0);
    expect(world.turns('a')).toEqual([9_000]);
    expect(world.system.run(() => world.pace.pauseMs)).toBe(9_000);
  });

  test('a place before the end of a pause that became longer is worth nothing', async () => {
    const world = aWorld({ callsBefore: 40 });
    throttle(world, 5, -1);
    world.turns('a');
    throttle(world, 9, -1);
    expect(world.turns('a')).not.toEqual([5_000]);
    await world.system.to(8_999);
    expect(world.turns('a')[0]).toBeGreaterThan(0);
  });
});

test('the next refusal halves it again, down to a call in five seconds', async () => {
  const world = aWorld({ callsBefore: 40 });
  const gaps: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    await world.system.to(world.system.monotonic() + 1);
    throttle(world, 1);
    const [first = 0, second = 0] = world.turns('a', 'b');
    gaps.push(second - first);
  }
  expect(gaps[1]).toBeGreaterThan((gaps[0] ?? 0) * 1.9);
  expect(gaps.at(-1)).toBeCloseTo(5_000);
});

test('without a refusal the pace grows until there is no limit', async () => {
  const world = aWorld({ callsBefore: 20 });
  throttle(world, 1);
  await world.system.to(100_000);
  const [, second] = world.turns('a', 'b');
  expect(second).toBeLessThan(60);
  // What was not used is no reserve.
  expect(second).toBeGreaterThan(40);
  await world.system.to(300_000);
  expect(new Set(world.turns(...names(100)))).toEqual(new Set([0]));
});

test('refusals again and again, and no answer, are those of the account', async () => {
  const { pace, system } = aWorld({ callsBefore: 100 });
  const refused: boolean[] = [];
  for (let second = 1; second <= 7; second += 1) {
    await system.to(second * 1_000);
    const begunAt = system.monotonic();
    refused.push(system.run(() => pace.throttled({ caller: 'busy', begunAt })));
  }
  expect(refused).toEqual([true, false, false, false, false, false, true]);
});

test('who was answered counts when it is refused again', async () => {
  const { pace, system } = aWorld({ callsBefore: 100 });
  const refuse = (): boolean =>
    system.run(() => pace.throttled({ caller: 'busy', begunAt: system.monotonic() }));
  refuse();
  await system.to(1_000);
  system.run(() => pace.answered('busy'));
  await system.to(2_000);
  expect(refuse()).toBe(true);
});
