import { fakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { getEventListeners } from 'node:events';
import * as system from '../../../activities/system/system.ts';
import { SimulatedProcess } from '../../simulation/engine/process.ts';
import { Simulation } from '../../simulation/engine/simulation.ts';

const second = 1_000;
const hour = 3_600 * second;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

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

/** `run` lets so much time pass. */
function begin(seed = 1, skewMs = 0) {
  const simulation = new Simulation(seed);
  const worker = new SimulatedProcess(simulation, { name: 'worker', skewMs });
  const run = async (milliseconds: number): Promise<void> =>
    await simulation.run(simulation.now + milliseconds);
  return { simulation, process: worker, run };
}

function drawn(seed: number): unknown[] {
  return begin(seed).process.run(() => [
    system.random(),
    system.uuid(),
    system.secretInt(1_000_000),
  ]);
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

  test('has the randomness of the host', () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.25);
    expect(system.random()).toBe(0.25);
    expect(system.uuid()).toMatch(uuidForm);
    expect(system.uuid()).not.toBe(system.uuid());
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

  test('may be cancelled by what it calls', () => {
    const diary = createDiary();
    const timer = system.every(second, () => {
      diary.note('once')();
      timer.cancel();
    });
    clock.tick(10 * second);
    expect(diary.entries).toEqual(['once']);
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

  test('limits calls by the signal of the host', () => {
    const { signal } = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(signal);
    expect(system.timeoutSignal(second)).toBe(signal);
    expect(timeout).toHaveBeenCalledWith(second);
  });
});

describe('a process of a simulation', () => {
  test('has its own clocks, also after it has waited', async () => {
    const { simulation, process, run } = begin(1, 5 * second);
    const seen: number[][] = [];
    const read = (): void => void seen.push([system.nowMs(), system.monotonicMs()]);
    void process.run(async () => {
      read();
      await system.sleep(hour);
      read();
    });
    await run(2 * hour);
    const start = simulation.startMs + 5 * second;
    expect(seen).toEqual([
      [start, 0],
      [start + hour, hour],
    ]);
  });

  test('leaves the clock of others alone', async () => {
    const { process, run } = begin();
    void process.run(async () => await system.sleep(hour));
    await run(2 * hour);
    const before = Date.now();
    expect(system.nowMs()).toBeGreaterThanOrEqual(before);
  });

  test('draws by its seed', () => {
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect(drawn(1)).toEqual([
      expect.any(Number),
      expect.stringMatching(uuidForm),
      expect.any(Number),
    ]);
  });

  test('calls after a time, and every time, until then', async () => {
    const { process, run } = begin();
    const diary = createDiary();
    const timer = process.run(() => {
      system.after(90 * second, diary.note('one'));
      return system.every(60 * second, diary.note('every'));
    });
    await run(120 * second);
    timer.cancel();
    await run(hour);
    expect(diary.entries).toEqual(['every', 'one', 'every']);
  });

  test('stops sleeping when its signal is aborted', async () => {
    const { process, run } = begin();
    const controller = new AbortController();
    const { signal } = controller;
    const failure = process.run(
      async () => await system.sleep(hour, { signal }).catch((error: unknown) => error),
    );
    process.after(second, () => controller.abort('enough'));
    await run(2 * second);
    expect(await failure).toEqual(abortError('enough'));
  });

  test('limits calls by its own time', async () => {
    const { process, run } = begin();
    const signal = process.run(() => system.timeoutSignal(hour));
    await run(hour - 1);
    expect(signal.aborted).toBe(false);
    await run(1);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('ends a call with the first of two signals', () => {
    const { process } = begin();
    const [one, other] = [new AbortController(), new AbortController()];
    const any = process.run(() => system.anySignal([one.signal, other.signal]));
    expect(any.aborted).toBe(false);
    other.abort('stop');
    one.abort('late');
    expect(any.reason).toBe('stop');
    expect(process.run(() => system.anySignal([one.signal])).reason).toBe('late');
  });

  test('does nothing more once it is killed', async () => {
    const { process, run } = begin();
    const diary = createDiary();
    process.run(() => {
      system.after(hour, diary.note('after'));
      system.every(hour, diary.note('every'));
      void system.sleep(hour).then(diary.note('slept'));
    });
    process.kill();
    await run(24 * hour);
    expect(diary.entries).toEqual([]);
  });
});
