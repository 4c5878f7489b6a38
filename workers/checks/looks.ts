/**
 * The looks of a worker between runs of the checks. They use no action of Temporal; one that finds
 * something starts a run, which decides and acts (docs/decisions/0040-checks-without-runs.md).
 */
import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import { orAborted } from '../../activities/drivers/or-aborted.ts';
import { anySignal, nowMs, random, sleep, timeoutSignal } from '../../activities/system/system.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { mayTrigger } from '../../workflows/plan/safety/triggers.ts';
import type { Logger } from '../log/logger.ts';
import type { CheckSchedule } from './check-schedule.ts';
import { checkSchedule } from './check-schedule.ts';
import type { Check, CheckSettings } from './checks.ts';
import { checksOf } from './checks.ts';
import type { LookMetrics, LookOutcome } from './look-metrics.ts';
import { registerLookMetrics } from './look-metrics.ts';
import type { Finding, Look, LookParts } from './look.ts';
import { lostWorkflowsLook } from './lost-workflows-look.ts';
import { orphansLook } from './orphans-look.ts';
import { overshootLook } from './overshoot-look.ts';
import { reachabilityLook } from './reachability-look.ts';
import { unmanagedNodesLook } from './unmanaged-nodes-look.ts';

export interface LooksOptions {
  temporal: Client;
  settings: CheckSettings;
  dependencies: LookParts['dependencies'];
  registry: Registry;
  log: Logger;
  /** Ends the looks. */
  signal: AbortSignal;
}

const looks: Record<string, (parts: LookParts) => Look> = {
  orphans: orphansLook,
  overshoot: overshootLook,
  'lost-workflows': lostWorkflowsLook,
  'unmanaged-nodes': unmanagedNodesLook,
  reachability: reachabilityLook,
};

export function startLooks(options: LooksOptions): void {
  const { temporal, settings, registry, ...others } = options;
  const metrics = registerLookMetrics(registry, settings.namespace);
  for (const check of checksOf(settings).filter(({ isOff }) => !isOff)) {
    const schedule = checkSchedule(temporal, scheduleIdOf(check.name, settings.identity));
    const look = looks[check.name]?.({ settings, schedule, metrics, ...others });
    if (!look) throw new Error(`no look for the check ${check.name}`);
    const observer = new Observer({ check, look, schedule, metrics, ...others });
    void observer.observe().catch(() => undefined);
  }
}

interface ObserverParts {
  check: Check;
  look: Look;
  schedule: CheckSchedule;
  metrics: LookMetrics;
  log: Logger;
  signal: AbortSignal;
}

/** As long as the activities of a run may take. */
const longestLookMs = 120_000;
/** So that workers do not look at the same moment for ever. */
const jitter = 0.1;

/** Looks for one check, again and again. */
export class Observer {
  readonly #parts: ObserverParts;
  /** The finding of the last look, and the runs that were started for it. */
  #last: { key: string; triggers: number } | undefined;
  #isFailing = false;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
  }

  /** Rejects when the signal is aborted. */
  async observe(): Promise<never> {
    const { check, look, signal } = this.#parts;
    await this.#sleep(check.lookSeconds * random());
    for (;;) {
      await this.#lookOnce();
      signal.throwIfAborted();
      const seconds = look.nextSeconds?.() ?? check.lookSeconds;
      await this.#sleep(seconds * (1 + jitter * random()));
    }
  }

  async #sleep(seconds: number): Promise<void> {
    await sleep(seconds * 1_000, { signal: this.#parts.signal, keepsAlive: false });
  }

  /** One that fails is said once; the next one may succeed. */
  async #lookOnce(): Promise<void> {
    const { check, metrics, log, signal } = this.#parts;
    const limit = anySignal([signal, timeoutSignal(longestLookMs)]);
    try {
      metrics.count(check.name, await orAborted(this.#look(), limit));
      this.#isFailing = false;
    } catch (err) {
      if (signal.aborted) return;
      metrics.count(check.name, 'failed');
      if (!this.#isFailing) log.warn({ err, check: check.name }, 'cannot look for a check');
      this.#isFailing = true;
    }
  }

  async #look(): Promise<LookOutcome> {
    const finding = await this.#parts.look.take();
    if (finding) return await this.#follow(finding);
    this.#last = undefined;
    return 'nothing';
  }

  async #follow({ key, why }: Finding): Promise<LookOutcome> {
    const { check, look, schedule, log } = this.#parts;
    const triggers = this.#last?.key === key ? this.#last.triggers : 0;
    this.#last = { key, triggers };
    const isDue = mayTrigger({
      schedule: await schedule.describe(),
      earlier: triggers,
      periodSeconds: check.lookSeconds,
      longestWaitSeconds: look.longestWaitSeconds ?? check.sweepSeconds,
      now: nowMs(),
    });
    if (!isDue) return 'found';
    await schedule.trigger();
    this.#last = { key, triggers: triggers + 1 };
    log.info({ check: check.name, why }, 'a check is run');
    return 'triggered';
  }
}
