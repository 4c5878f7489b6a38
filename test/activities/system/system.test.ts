import { fakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { getEventListeners } from 'node:events';
import * as system from '../../../activities/system/system.ts';

const second = 1_000;
/** What happened so far, and when. */
function createDiary() {
  const entries: string[] = [];
  return { entries, note: (what: string) => () => void entries.push(what) };
}

/** As `setTimeout` of node:timers/promises rejects. */
function abortError(cause: unknown): object {
  return expect.objectContaining({ name: 'AbortError', code: 'ABORT_ERR', cause });
}

/** Those that keep this process alive. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

describe('a process of the host', () => {
  let clock: FakeClock;
  beforeEach(() => {
    clock = fakeClock({ now: 1_700_000_000_000 });
  });
  afterEach(() => {
    clock.uninstall();
    jest.restoreAllMocks();
  });

  test('has the clocks of the host', () => {
    const began = system.monotonicMs();
    clock.tick(second);
    expect(system.nowMs()).toBe(1_700_000_001_000);
    expect(system.monotonicMs() - began).toBe(second);
  });

  test('draws secrets from the generator for secrets', () => {
    jest.spyOn(Math, 'random').mockImplementation(() => {
      throw new Error('it can be guessed');
    });
    const secrets = new Set(Array.from({ length: 200 }, () => system.secretInt(3)));
    expect(secrets).toEqual(new Set([0, 1, 2]));
  });

  test('calls once, unless it is cancelled', () => {
    const diary = createDiary();
    system.after(second, diary.note('one'));
    system.after(second, diary.note('cancelled')).cancel();
    clock.tick(second - 1);
    expect(diary.entries).toEqual([]);
    clock.tick(10 * second);
    expect(diary.entries).toEqual(['one']);
    expect(clock.countTimers()).toBe(0);
  });

  test('calls again and again, until it is cancelled', () => {
    const diary = createDiary();
    const timer = system.every(second, diary.note('again'));
    clock.tick(3 * second);
    timer.cancel();
    clock.tick(10 * second);
    expect(diary.entries).toEqual(['again', 'again', 'again']);
    expect(clock.countTimers()).toBe(0);
  });

  test('sleeps', async () => {
    const diary = createDiary();
    const { signal } = new AbortController();
    const sleep = system.sleep(second, { signal }).then(diary.note('awake'));
    await clock.tickAsync(second - 1);
    expect(diary.entries).toEqual([]);
    await clock.tickAsync(1);
    await sleep;
    expect(diary.entries).toEqual(['awake']);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('stops sleeping when its signal is aborted', async () => {
    const controller = new AbortController();
    const sleep = system.sleep(second, { signal: controller.signal });
    controller.abort('enough');
    await expect(sleep).rejects.toEqual(abortError('enough'));
    expect(clock.countTimers()).toBe(0);
  });

  test('does not begin to sleep when its signal is aborted already', async () => {
    const sleep = system.sleep(second, { signal: AbortSignal.abort('before') });
    await expect(sleep).rejects.toEqual(abortError('before'));
    expect(clock.countTimers()).toBe(0);
  });

  test('ends with its work, whatever was to happen in the background', () => {
    clock.uninstall();
    const background = { keepsAlive: false };
    const { signal } = new AbortController();
    const before = countTimers();
    const timers = [
      system.after(60 * second, () => undefined, background),
      system.every(60 * second, () => undefined, background),
    ];
    void system.sleep(60 * second, { ...background, signal });
    void system.timeoutSignal(60 * second);
    expect(countTimers()).toBe(before);
    timers.push(system.after(60 * second, () => undefined));
    expect(countTimers()).toBe(before + 1);
    for (const timer of timers) timer.cancel();
    expect(countTimers()).toBe(before);
  });
});
