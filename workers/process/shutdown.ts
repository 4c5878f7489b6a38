/** Ends the process in order: by signal, by a crash, or when the work itself ends. */
import type { Logger } from 'pino';
import { after, monotonicMs } from '../../activities/system/system.ts';

export interface Shutdown {
  /** Aborted when the process is to end: waits of any kind listen to it. */
  signal: AbortSignal;
  /** `stop` runs at the end, before those added earlier. A part added during the end is next. */
  add(name: string, stop: () => Promise<void> | void): void;
  /** Ends the process with this exit code. Later calls change nothing. */
  begin(reason: string, exitCode?: number): void;
}

export interface ShutdownOptions {
  log: Logger;
  /** All stops together may take this long; then the process ends with exit code 1. */
  graceSeconds: number;
  /** Default this process. */
  host?: ShutdownHost;
  /** Milliseconds. Default that of this process. */
  clock?: () => number;
}

/** The part of `process` that is used here. */
export interface ShutdownHost {
  on(event: string, listener: (first: unknown) => void): unknown;
  exit(code: number): void;
}

/** Ctrl-C reaches a whole group of processes, and a parent that passes it on makes it two. */
const echoMilliseconds = 300;

/** Is stopped at the end. */
export interface Part {
  name: string;
  stop: () => Promise<void> | void;
}

export function createShutdown(options: ShutdownOptions): Shutdown {
  const { log, graceSeconds, host = process, clock = monotonicMs } = options;
  const controller = new AbortController();
  const stops: Part[] = [];
  let signalledAt: number | undefined;
  let failed = false;

  async function runAll(): Promise<void> {
    for (let part = stops.at(-1); part !== undefined; part = stops.at(-1)) {
      await runOne(part);
      stops.splice(stops.indexOf(part), 1);
    }
  }

  async function runOne({ name, stop }: Part): Promise<void> {
    try {
      await stop();
      log.debug({ part: name }, 'stopped');
    } catch (err) {
      failed = true;
      log.error({ err, part: name }, 'failed to stop');
    }
  }

  async function end(reason: string, exitCode: number): Promise<void> {
    log.info({ reason, graceSeconds }, 'stopping');
    controller.abort(new Error(`The process is stopping: ${reason}`));
    const deadline = after(graceSeconds * 1_000, () => {
      log.error({ graceSeconds, unfinished: stops.map(({ name }) => name) }, 'stopped too slowly');
      host.exit(1);
    });
    await runAll();
    deadline.cancel();
    log.info({ reason }, 'ended');
    host.exit(failed ? 1 : exitCode);
  }

  function begin(reason: string, exitCode = 0): void {
    if (!controller.signal.aborted) void end(reason, exitCode);
  }

  function onSignal(name: string): void {
    const now = clock();
    // A process that ends by itself, as with a new certificate, may be asked for it as well.
    const isSecond = signalledAt !== undefined && now - signalledAt >= echoMilliseconds;
    signalledAt = now;
    if (!controller.signal.aborted) return begin(name);
    if (!isSecond) return;
    log.warn({ signal: name }, 'asked to end a second time: ending at once');
    host.exit(1);
  }

  function onCrash(err: unknown): void {
    // A wait that was ended by us, and whose caller has nothing to add.
    if (controller.signal.aborted && err === controller.signal.reason) return;
    if (controller.signal.aborted && isOfClosedConnection(err)) return;
    log.fatal({ err }, 'crashed');
    host.exit(1);
  }

  for (const name of ['SIGTERM', 'SIGINT']) host.on(name, () => onSignal(name));
  for (const event of ['uncaughtException', 'unhandledRejection']) host.on(event, onCrash);

  return {
    signal: controller.signal,
    add: (name, stop) => void stops.push({ name, stop }),
    begin,
  };
}

/**
 * Temporal's client repeats a call from a timer, also after its connection was closed; what gRPC
 * throws then reaches no caller (SDK 1.24, `grpc-retry.js`).
 */
function isOfClosedConnection(err: unknown): boolean {
  return err instanceof Error && err.message === 'Channel has been shut down';
}
