/** A process of its own that runs seeds. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { after, type Timer } from '../../../activities/system/system.ts';
import type { Answer, Order, RunnerOptions } from './protocol.ts';
import type { SeedResult } from './seed-result.ts';
import { crashRule, type Setup } from './simulator.ts';

const entrance = fileURLToPath(new URL('seed-process.ts', import.meta.url));
const tailCharacters = 4_000;

/** 50 machines for a day take minutes. */
const silenceMostMs = 60 * 60_000;

export class Runner {
  readonly #child: ChildProcess;
  readonly #silenceMostMs: number;
  #errors = '';

  constructor(options: RunnerOptions, silenceMost = silenceMostMs) {
    this.#silenceMostMs = silenceMost;
    // What code under test prints must not end up in our result.
    const stdio = ['ignore', process.stderr, 'pipe', 'ipc'] as const;
    this.#child = fork(entrance, [JSON.stringify(options)], { stdio: [...stdio] });
    this.#child.stderr?.on('data', (part: Buffer) => {
      process.stderr.write(part);
      this.#errors = `${this.#errors}${part.toString()}`.slice(-tailCharacters);
    });
  }

  get isAlive(): boolean {
    const { exitCode, signalCode, killed } = this.#child;
    return exitCode === null && signalCode === null && !killed;
  }

  /** The end of the process is a result as well, and so is its silence. One seed at a time. */
  run({ setup, isShrinking }: Order, onProgress: (what: string) => void): Promise<SeedResult> {
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<SeedResult>();
    const fail = (text: string): void => resolve(crashOf(setup, text));
    let silence = this.#silence(fail);
    const onMessage = (answer: Answer): void => {
      silence.cancel();
      silence = this.#silence(fail);
      if (answer.kind === 'progress') onProgress(answer.what);
      else resolve(answer.result);
    };
    const onClose = (code: number | null, signal: string | null): void =>
      fail(`the process ended with ${signal ?? code}\n${this.#errors}`);
    child.on('message', onMessage).on('close', onClose);
    // An error means that it has ended, which `close` reports.
    child.send({ setup, isShrinking }, () => undefined);
    return promise.finally(() => {
      silence.cancel();
      child.off('message', onMessage).off('close', onClose);
    });
  }

  /** A world in which the clock stands for ever never answers. */
  #silence(onEnd: (text: string) => void): Timer {
    return after(this.#silenceMostMs, () => {
      onEnd(`a run did not end within ${this.#silenceMostMs / 60_000} minutes`);
      this.end();
    });
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

function crashOf(setup: Setup, text: string): SeedResult {
  return {
    setup,
    lives: 0,
    events: 0,
    simulatedMs: 0,
    fingerprint: '',
    cpuSeconds: 0,
    shrinkCpuSeconds: 0,
    violations: 1,
    failure: {
      rule: crashRule,
      text,
      setup,
      report: `Seed ${setup.seed}: broken: ${crashRule}\n  ${text}`,
    },
  };
}
