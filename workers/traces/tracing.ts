/** All that a process has for traces. Loaded only where they are on. */
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { after, monotonicMs } from '../../activities/system/system.ts';
import type { TraceSinks } from '../../workflows/runtime/trace-interceptors.ts';
import type { Logger } from '../log/logger.ts';
import { RepeatedFailures } from '../log/repeated-failures.ts';
import { SignalTraces } from './signal-traces.ts';
import type { TracerOptions } from './tracer.ts';
import { openTracer } from './tracer.ts';
import { createActivityTraces, createTraceSinks } from './worker-traces.ts';

export interface Tracing {
  /** Traces of the watcher's signals. */
  signals: SignalTraces;
  /** Interceptors of the worker's activities. */
  activities: ActivityInterceptorsFactory;
  /** Sinks of the worker's workflows. */
  sinks: InjectedSinks<TraceSinks>;
  close(): Promise<void>;
}

/** How long the end of a process waits for a collector that does not answer. */
const closeWithinMs = 3_000;

export function openTracing({
  log,
  ...options
}: Omit<TracerOptions, 'onTrouble'> & { log: Logger }): Tracing {
  const failures = new RepeatedFailures({
    write: (level, { message, fields }) => log[level](fields, message),
    now: monotonicMs,
    after: (milliseconds, action) => void after(milliseconds, action, { keepsAlive: false }),
  });
  const onTrouble = (reason: string): void =>
    failures.take({ message: 'traces cannot be exported', fields: { error: new Error(reason) } });
  const spans = openTracer({ ...options, onTrouble });
  return {
    signals: new SignalTraces(spans),
    activities: createActivityTraces(spans),
    sinks: createTraceSinks(spans),
    close: () => within(closeWithinMs, spans.close()),
  };
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise: limit, resolve } = Promise.withResolvers<void>();
  const timer = after(milliseconds, resolve);
  await Promise.race([work, limit]).finally(() => timer.cancel());
}
