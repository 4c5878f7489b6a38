/**
 * Whether the version of this worker gets work, for `/readyz`. Temporal gives workflow tasks to the
 * current version alone, which a person or the chart names: `millwright setup --current`.
 */
import type { Client } from '@temporalio/client';
import { random, sleep } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import type { QueueVersions } from './queue-status.ts';
import { isSameVersion, polls, readQueueVersions } from './queue-status.ts';
import type { WorkerVersion } from './worker-version.ts';

export interface CurrentVersionOptions {
  version: WorkerVersion;
  /** Temporal's namespace; stands in the line to type. */
  namespace: string;
  /** One call, with a time limit of its own. */
  ask(): Promise<QueueVersions>;
  log: Logger;
  /** Ends the watch. */
  signal: AbortSignal;
}

/** Of the queue of workflows. */
export function watchVersion(
  temporal: Client,
  { taskQueue, ...watch }: Omit<CurrentVersionOptions, 'ask' | 'namespace'> & { taskQueue: string },
): CurrentVersion {
  const { namespace } = temporal.options;
  const ask = () => readQueueVersions(temporal, taskQueue);
  return new CurrentVersion({ ...watch, namespace, ask });
}

/** While it waits to be named; otherwise a version changes with a release. */
const periodMs = { waiting: 5_000, settled: 60_000 };
/** So that workers that start together do not ask together for ever. */
const jitter = 0.2;

export class CurrentVersion {
  readonly #options: CurrentVersionOptions;
  #fault: string | undefined;
  #isFailing = false;

  constructor(options: CurrentVersionOptions) {
    this.#options = options;
    this.#fault = `finds out whether ${nameOf(options.version)} is the current version`;
    void this.#watch().catch(() => undefined);
  }

  /** For people, with the line to type; undefined when it is current, or stands by. */
  fault(): string | undefined {
    return this.#fault;
  }

  /** Rejects when the signal is aborted. */
  async #watch(): Promise<never> {
    const { signal } = this.#options;
    for (;;) {
      await this.#ask();
      const period = this.#fault === undefined ? periodMs.settled : periodMs.waiting;
      await sleep(period * (1 + jitter * random()), { signal, keepsAlive: false });
    }
  }

  /** A failed read is said once, and changes nothing: `TemporalReach` says what it means. */
  async #ask(): Promise<void> {
    const { ask, log, version, namespace } = this.#options;
    try {
      const found = await ask();
      this.#isFailing = false;
      this.#note(versionFault(version, found, namespace), found);
    } catch (error) {
      const reason = reasonOf(error);
      if (!this.#isFailing)
        log.warn({ reason }, 'cannot find out which version is the current one');
      this.#isFailing = true;
    }
  }

  #note(fault: string | undefined, { current }: QueueVersions): void {
    if (fault === this.#fault) return;
    this.#fault = fault;
    const { log, version } = this.#options;
    if (fault !== undefined) log.warn({ version, current }, fault);
    else
      log.info(
        { version, current },
        isSameVersion(version, current)
          ? 'is the current version'
          : 'stands by: another version is the current one',
      );
  }
}

/**
 * A worker that stands by beside living workers of the current version is ready, so that a rolling
 * update of its Deployment goes on. Undefined: it is ready.
 *
 * @param namespace Of Temporal.
 */
export function versionFault(
  version: WorkerVersion,
  found: QueueVersions,
  namespace: string,
): string | undefined {
  const { current } = found;
  if (isSameVersion(version, current) || polls(current, found)) return undefined;
  const why = current
    ? `the current version is ${nameOf(current)}, and no worker of it is there`
    : 'no version is the current one';
  return `${nameOf(version)} gets no work: ${why}. Run: ${lineFor(version, namespace)}`;
}

/** Command that makes a version the current one. */
export function lineFor({ deploymentName, buildId }: WorkerVersion, namespace: string): string {
  return `millwright setup --current=${buildId} --deployment=${deploymentName} --temporal-namespace=${namespace}`;
}

function nameOf({ deploymentName, buildId }: WorkerVersion): string {
  return `version ${buildId} of ${deploymentName}`;
}
