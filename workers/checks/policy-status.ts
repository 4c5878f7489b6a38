/**
 * What DisruptionPolicies say of themselves, refreshed by each round, and when one was edited: no
 * run is needed for it.
 */
import { refreshPolicies } from '../../activities/disruption/status.ts';
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { after, anySignal, random, timeoutSignal } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import type { CheckMetrics } from './check-metrics.ts';
import { longestCheckMs } from './checks.ts';

export interface PolicyStatusParts {
  dependencies: Pick<ActivityDependencies, 'activeWatcher'> & Parameters<typeof refreshPolicies>[0];
  metrics: Pick<CheckMetrics, 'set'>;
  log: Pick<Logger, 'warn'>;
  signal: AbortSignal;
}

const soonMs = 2_000;

export class PolicyStatus {
  readonly #parts: PolicyStatusParts;
  #isUnderWay = false;
  #isAsked = false;
  #hasFailed = false;

  constructor(parts: PolicyStatusParts) {
    this.#parts = parts;
  }

  /**
   * Within some seconds: of several workers that see an edit the first one writes, and the others
   * find it written.
   */
  refreshSoon(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const refresh = (): void => {
      this.#isAsked = false;
      if (!this.#parts.signal.aborted) void this.refresh();
    };
    after(random() * soonMs, refresh, { keepsAlive: false });
  }

  /** Never rejects. Does nothing where there is no policy, and while no watcher leads. */
  async refresh(): Promise<void> {
    const { dependencies, metrics, log, signal } = this.#parts;
    if (this.#isUnderWay || !dependencies.activeWatcher.isActive()) return;
    this.#isUnderWay = true;
    try {
      const end = anySignal([signal, timeoutSignal(longestCheckMs)]);
      metrics.set('policies', await orAborted(refreshPolicies(dependencies), end));
      this.#hasFailed = false;
    } catch (err) {
      if (signal.aborted || this.#hasFailed) return;
      this.#hasFailed = true;
      log.warn({ err }, 'the status of the DisruptionPolicies could not be written');
    } finally {
      this.#isUnderWay = false;
    }
  }
}
