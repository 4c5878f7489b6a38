/**
 * The probes of a worker between runs of the checks. They use no action of Temporal; one that finds
 * something starts a run, which decides and acts (docs/decisions/0040-checks-without-runs.md).
 */
import type { Client } from '@temporalio/client';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { nowMs, random, sleep, timeoutSignal } from '../../activities/system/system.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { mayTrigger } from '../../workflows/plan/safety/triggers.ts';
import type { Logger } from '../log/logger.ts';
import type { CheckSchedule } from './check-schedule.ts';
import { checkSchedule } from './check-schedule.ts';
import type { Check, CheckSettings } from './checks.ts';
import { checksOf } from './checks.ts';
import { longestProbeMs } from './probe-limit.ts';
import type { ProbeMetrics, ProbeOutcome } from './check-metrics.ts';
import type { Finding, Probe, ProbeParts } from './probe.ts';
import { lostWorkflowsProbe } from './lost-workflows-probe.ts';
import { orphansProbe } from './orphan-finder.ts';
import { overshootProbe } from './overshoot-probe.ts';
import { reachabilityProbe } from './reachability-probe.ts';
import { unmanagedNodesProbe } from './unmanaged-nodes-probe.ts';

export interface ProbesOptions {
  temporal: Client;
  settings: CheckSettings;
  dependencies: ProbeParts['dependencies'];
  metrics: ProbeMetrics;
  log: Logger;
  /** Ends the probes. */
  signal: AbortSignal;
}

const probes: Record<string, (parts: ProbeParts) => Probe> = {
  orphans: orphansProbe,
  overshoot: overshootProbe,
  'lost-workflows': lostWorkflowsProbe,
  'unmanaged-nodes': unmanagedNodesProbe,
  reachability: reachabilityProbe,
};

export function startProbes(options: ProbesOptions): void {
  const { temporal, settings, ...others } = options;
  for (const check of checksOf(settings).filter(({ isOff }) => !isOff)) {
    const schedule = checkSchedule(temporal, scheduleIdOf(check.name, settings.identity));
    const probe = probes[check.name]?.({ settings, schedule, ...others });
    if (!probe) throw new Error(`no probe for the check ${check.name}`);
    const prober = new Prober({ check, probe, schedule, ...others });
    void prober.probeForever().catch(() => undefined);
  }
}

interface ProberParts {
  check: Check;
  probe: Probe;
  schedule: CheckSchedule;
  metrics: ProbeMetrics;
  log: Logger;
  signal: AbortSignal;
}

/** Node.js fires a timer of more at once. */
const longestTimerMs = 2 ** 31 - 1;
/** So that workers do not probe at the same moment for ever. */
const jitter = 0.1;

/** Probes for one check, again and again. */
class Prober {
  readonly #parts: ProberParts;
  /** The finding of the last probe, and the runs that were started for it. */
  #last: { key: string; triggers: number } | undefined;
  #isFailing = false;

  constructor(parts: ProberParts) {
    this.#parts = parts;
  }

  /** Rejects when the signal is aborted. */
  async probeForever(): Promise<never> {
    const { check, probe, signal } = this.#parts;
    await this.#sleep(check.probeSeconds * random());
    for (;;) {
      await this.#probeOnce();
      signal.throwIfAborted();
      const seconds = probe.nextSeconds?.() ?? check.probeSeconds;
      await this.#sleep(seconds * (1 + jitter * random()));
    }
  }

  async #sleep(seconds: number): Promise<void> {
    const milliseconds = Math.min(seconds * 1_000, longestTimerMs);
    await sleep(milliseconds, { signal: this.#parts.signal, keepsAlive: false });
  }

  /** One that fails is said once; the next one may succeed. */
  async #probeOnce(): Promise<void> {
    const { check, metrics, log, signal } = this.#parts;
    const probing = orAborted(this.#probe(), signal);
    try {
      const outcome = await orAborted(probing, timeoutSignal(longestProbeMs));
      metrics.count(check.name, outcome);
      this.#isFailing = false;
    } catch (err) {
      if (signal.aborted) return;
      metrics.count(check.name, 'failed');
      if (!this.#isFailing) log.warn({ err, check: check.name }, 'cannot probe for a check');
      this.#isFailing = true;
    }
  }

  async #probe(): Promise<ProbeOutcome> {
    const finding = await this.#parts.probe.find();
    if (finding) return await this.#follow(finding);
    this.#last = undefined;
    return 'nothing';
  }

  async #follow({ key, why }: Finding): Promise<ProbeOutcome> {
    const { check, probe, schedule, log } = this.#parts;
    const triggers = this.#last?.key === key ? this.#last.triggers : 0;
    this.#last = { key, triggers };
    const isDue = mayTrigger({
      schedule: await schedule.describe(),
      earlier: triggers,
      periodSeconds: check.probeSeconds,
      longestWaitSeconds: probe.longestWaitSeconds ?? check.sweepSeconds,
      now: nowMs(),
    });
    if (!isDue) return 'found';
    await schedule.trigger();
    this.#last = { key, triggers: triggers + 1 };
    log.info({ check: check.name, why }, 'a check is run');
    return 'triggered';
  }
}
