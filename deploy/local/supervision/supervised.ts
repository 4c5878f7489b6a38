import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lastLines } from '../binaries/program.ts';
import type { Command, Component } from '../components/component.ts';
import { untilFree } from './ports.ts';
import { messageOf } from '../failure.ts';
import { backoffMs } from '../../../workflows/values/backoff.ts';

/** Longest time from a start until the component answers. */
const readyWithinMs = 60_000;
const probePeriodMs = 40;

/** The outside of one supervised component. */
export interface SupervisionWorld {
  logFile: string;
  /** Resolves when all that the component needs is ready; awaited before each start. */
  untilNeedsReady: () => Promise<void>;
  /** The process was started or, with undefined, has ended. */
  onProcess: (pid: number | undefined) => void;
  /** It answers, for the first time or again. */
  onReady: () => void;
  /** Something that a person should read. */
  report: (line: string) => void;
  /** That the disk of the stack is full, which is reported in place of the log's last lines. */
  lackOfRoom: () => string | undefined;
  /** The component is beyond saving. Called once at most. */
  giveUp: (error: Error) => void;
}

/** Keeps one component running until it is stopped. */
export class Supervised {
  readonly component: Component;
  readonly #world: SupervisionWorld;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #isReady = false;
  #ready = pendingPromise();
  #running: Promise<void> | undefined;

  constructor(component: Component, world: SupervisionWorld) {
    this.component = component;
    this.#world = world;
  }

  start(): void {
    this.#running = this.#keepRunning();
  }

  /**
   * Resolves when the component answers, now or after its next start; rejects when it is given up.
   */
  untilReady(): Promise<void> {
    return this.#ready.promise;
  }

  /** Asks the process to end, and kills it when it takes longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill(this.component.endSignal ?? 'SIGTERM');
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), graceMs);
    await this.#running;
    clearTimeout(timer);
  }

  async #keepRunning(): Promise<void> {
    let record = noDeaths;
    while (!this.#isStopping()) {
      const life = await this.#runOnce();
      if (this.#isStopping()) return;
      const decision = afterDeath(record, { livedMs: life.livedMs, random: Math.random() });
      if (decision.action === 'giveUp') {
        this.#giveUp(`died ${decision.record.quickDeaths} times in a row: ${life.outcome}`);
        return;
      }
      record = decision.record;
      this.#world.report(`${this.component.name} ${life.outcome}`);
      await this.#pause(decision.delayMs);
    }
  }

  /** One life of the process: how it ended, with the last lines of its log. */
  async #runOnce(): Promise<{ outcome: string; livedMs: number }> {
    const { logFile } = this.#world;
    const logStart = sizeOf(logFile);
    // Undefined: it never lived, however long it waited for a port that another program has.
    let startedAt: number | undefined;
    let outcome: string;
    try {
      await this.#unlessStopped(this.#world.untilNeedsReady());
      await untilFree(this.component.ports, this.#stopping.signal);
      const command = await this.#unlessStopped(this.component.command());
      startedAt = Date.now();
      outcome = await this.#live(command);
    } catch (error) {
      outcome = `could not be started: ${messageOf(error)}`;
    }
    const livedMs = startedAt === undefined ? 0 : Date.now() - startedAt;
    return { outcome: `${outcome}${this.#detail(logStart)}`, livedMs };
  }

  #detail(logStart: number): string {
    const lack = this.#world.lackOfRoom();
    if (lack !== undefined) return `, ${lack}`;
    const { logFile } = this.#world;
    const lines = tailOf(logFile, logStart);
    return lines === '' ? '' : `. Last lines of ${logFile}:\n${lines}`;
  }

  async #live({ file, args, env, user }: Command): Promise<string> {
    const log = openSync(this.#world.logFile, 'a');
    const child = spawn(file, args, {
      stdio: ['ignore', log, log],
      ...user,
      env: { ...process.env, ...env },
    });
    closeSync(log);
    this.#child = child;
    const ended = endOf(child);
    this.#world.onProcess(child.pid);
    const life = new AbortController();
    const probing = this.#probe(child, life.signal);
    const outcome = await ended;
    life.abort();
    await probing;
    this.#child = undefined;
    this.#becomeUnready();
    this.#world.onProcess(undefined);
    return outcome;
  }

  /** Looks until the component answers. If it never does it is killed, and so starts again. */
  async #probe(child: ChildProcess, life: AbortSignal): Promise<void> {
    const deadline = Date.now() + readyWithinMs;
    while (!life.aborted) {
      if ((await this.component.isReady?.()) ?? true) {
        if (!life.aborted) this.#becomeReady();
        return;
      }
      if (Date.now() > deadline) {
        this.#world.report(
          `${this.component.name} does not answer after ${readyWithinMs / 1000} s`,
        );
        child.kill('SIGKILL');
        return;
      }
      await delay(probePeriodMs);
    }
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#ready.resolve();
    this.#world.onReady();
  }

  /** Calls that wait already go on waiting; those from now on wait for the next process. */
  #becomeUnready(): void {
    if (!this.#isReady) return;
    this.#isReady = false;
    this.#ready = pendingPromise();
  }

  #giveUp(reason: string): void {
    const error = new Error(`${this.component.name} ${reason}`);
    this.#ready.reject(error);
    this.#world.giveUp(error);
  }

  async #pause(ms: number): Promise<void> {
    try {
      await delay(ms, undefined, { signal: this.#stopping.signal });
    } catch {
      // Being stopped ends the pause early.
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Waits for a promise that may never settle, such as for a component that was stopped already.
   */
  async #unlessStopped<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    const settled = new AbortController();
    const stopped = once(signal, 'abort', { signal: settled.signal }).then(() => {
      throw new Error('it was stopped');
    });
    try {
      return await Promise.race([promise, stopped]);
    } finally {
      // Takes the listener off again; its rejection is then ignored.
      stopped.catch(() => undefined);
      settled.abort();
    }
  }
}

function pendingPromise(): PromiseWithResolvers<void> {
  const pending = Promise.withResolvers<void>();
  // A waiter gets the failure; there need not be one.
  pending.promise.catch(() => undefined);
  return pending;
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `ended with code ${code}` : `was killed by ${signal}`),
    );
  });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The last lines that were written behind `start`. */
function tailOf(file: string, start: number): string {
  const bytes = 4096;
  const size = sizeOf(file);
  if (size <= start) return '';
  const from = Math.max(start, size - bytes);
  const buffer = Buffer.alloc(size - from);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, buffer, 0, buffer.length, from);
  closeSync(descriptor);
  return lastLines(buffer.toString(), 5).replaceAll(/^/gm, '  | ');
}

/** The deaths of one component, as far as they are remembered. */
export interface DeathRecord {
  /** Deaths in a row within `quickDeathMs` of the start. */
  quickDeaths: number;
  /** Deaths in a row after which the wait was not forgotten. */
  backoffSteps: number;
}

type RestartDecision =
  | { action: 'restart'; delayMs: number; record: DeathRecord }
  | { action: 'giveUp'; record: DeathRecord };

export const noDeaths: DeathRecord = { quickDeaths: 0, backoffSteps: 0 };

const quickDeathMs = 5_000;
const quickDeathsMax = 5;
const delayMinMs = 200;
const delayMaxMs = 10_000;
/** As long as the longest wait: who lived this long starts again at once the next time. */
const forgottenAfterMs = delayMaxMs;

/**
 * Decides after a death. `livedMs` counts from the start of the process, `random` is in [0, 1) and
 * shortens the wait by up to a fifth, so that components that died together do not return together.
 */
export function afterDeath(
  record: DeathRecord,
  { livedMs, random }: { livedMs: number; random: number },
): RestartDecision {
  const next = {
    quickDeaths: livedMs < quickDeathMs ? record.quickDeaths + 1 : 0,
    backoffSteps: livedMs < forgottenAfterMs ? record.backoffSteps + 1 : 1,
  };
  if (next.quickDeaths >= quickDeathsMax) return { action: 'giveUp', record: next };
  const wait = { attempt: next.backoffSteps, firstMs: delayMinMs, maxMs: delayMaxMs, jitter: 0.2 };
  return { action: 'restart', delayMs: Math.round(backoffMs(wait, random)), record: next };
}
