/** Keeps the Schedules of a worker that serves the core, until it ends. */
import type { Client } from '@temporalio/client';
import { every } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import { untilReached } from '../process/reach.ts';
import type { CheckSettings } from './checks.ts';
import type { RoundSettings } from './schedules.ts';
import { ensureRounds, ensureSchedules, refreshRounds, refreshSchedules } from './schedules.ts';

/** So long a check may stay paused after one of its runs failed. */
const scheduleEveryMs = 5 * 60_000;

interface Kept<Settings> {
  temporal: Client;
  settings: Settings;
  log: Logger;
  signal: AbortSignal;
}

/** Those of the checks of a namespace. */
export function keepSchedules({ temporal, settings, ...kept }: Kept<CheckSettings>): void {
  keep({
    ...kept,
    what: 'the schedules of the safety checks',
    ensure: () => ensureSchedules(temporal, settings, kept.log),
    refresh: () => refreshSchedules(temporal, settings, kept.log),
  });
}

/** That of the rounds, one for the install. */
export function keepRounds({ temporal, settings, ...kept }: Kept<RoundSettings>): void {
  keep({
    ...kept,
    what: 'the schedule of their rounds',
    ensure: () => ensureRounds(temporal, settings, kept.log),
    refresh: () => refreshRounds(temporal, settings, kept.log),
  });
}

interface Keeping extends Pick<Kept<unknown>, 'log' | 'signal'> {
  /** For people. */
  what: string;
  ensure(): Promise<void>;
  refresh(): Promise<void>;
}

/** Machines do not wait for it. */
function keep({ what, ensure, refresh, log, signal }: Keeping): void {
  const server = `Temporal, for ${what}`;
  void untilReached({ server, attempt: ensure, log, signal }).catch(() => undefined);
  const again = (): void =>
    void refresh().catch((err: unknown) => log.warn({ err }, `not up to date: ${what}`));
  const timer = every(scheduleEveryMs, again, { keepsAlive: false });
  signal.addEventListener('abort', () => timer.cancel(), { once: true });
}
