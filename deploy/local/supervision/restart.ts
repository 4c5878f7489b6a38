import { backoffMs } from '../../../workflows/values/backoff.ts';

/** The deaths of one component, as far as they are remembered. */
export interface DeathRecord {
  /** Deaths in a row within `quickDeathMs` of the start. */
  quickDeaths: number;
  /** Deaths in a row after which the wait was not forgotten. */
  backoffSteps: number;
}

export type RestartDecision =
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
