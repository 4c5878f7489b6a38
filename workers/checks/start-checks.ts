/** What a worker that serves the core does for the safety checks, until it ends. */
import { every } from '../../activities/system/system.ts';
import { untilReached } from '../process/reach.ts';
import type { ProbesOptions } from './namespace-checks.ts';
import { startProbes } from './namespace-checks.ts';
import { ensureSchedules, refreshSchedules } from './schedules.ts';

/** So long a check may stay paused after one of its runs failed. */
const scheduleEveryMs = 5 * 60_000;

export function startChecks(options: ProbesOptions): void {
  keepSchedules(options);
  startProbes(options);
}

/** Machines do not wait for it. */
function keepSchedules({ temporal, settings, log, signal }: ProbesOptions): void {
  const ensure = (): Promise<void> => ensureSchedules(temporal, settings, log);
  const server = 'Temporal, for the schedules of the safety checks';
  void untilReached({ server, attempt: ensure, log, signal }).catch(() => undefined);
  const again = (): void =>
    void refreshSchedules(temporal, settings, log).catch((err: unknown) =>
      log.warn({ err }, 'the schedules of the safety checks are not up to date'),
    );
  const timer = every(scheduleEveryMs, again, { keepsAlive: false });
  signal.addEventListener('abort', () => timer.cancel(), { once: true });
}
