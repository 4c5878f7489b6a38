/** What DisruptionPolicies say of themselves, refreshed by each round: no run is needed for it. */
import { refreshPolicies } from '../../activities/disruption/status.ts';
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { anySignal, timeoutSignal } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import type { CheckMetrics } from './check-metrics.ts';
import { longestCheckMs } from './checks.ts';

export interface PolicyStatusParts {
  dependencies: Pick<ActivityDependencies, 'activeWatcher'> & Parameters<typeof refreshPolicies>[0];
  metrics: Pick<CheckMetrics, 'set'>;
  log: Pick<Logger, 'warn'>;
  signal: AbortSignal;
}

export class PolicyStatus {
  readonly #parts: PolicyStatusParts;
  #isUnderWay = false;
  #hasFailed = false;

  constructor(parts: PolicyStatusParts) {
    this.#parts = parts;
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
