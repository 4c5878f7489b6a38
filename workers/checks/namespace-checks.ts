/**
 * The checks of one namespace, as a round makes them. What one finds starts a run by the Schedule
 * of the check, which decides and acts (docs/decisions/0054-one-round-for-an-install.md).
 */
import type { Client } from '@temporalio/client';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { monotonicMs, nowMs, random, timeoutSignal } from '../../activities/system/system.ts';
import type { CheckOutcome } from '../../workflows/contracts/safety-activities.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { mayTrigger } from '../../workflows/plan/safety/triggers.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import { checkSchedule } from './check-schedule.ts';
import type { Check } from './checks.ts';
import { checksOf, longestCheckMs, roundSecondsOf } from './checks.ts';
import type { Find, Finding, FinderParts } from './finder.ts';
import { finders } from './finders.ts';
import { PolicyStatus } from './policy-status.ts';

export interface NamespaceChecksOptions extends Omit<FinderParts, 'schedule'> {
  temporal: Client;
  log: Logger;
}

export class NamespaceChecks {
  readonly #checks: readonly RegularCheck[];
  readonly #policies: PolicyStatus;
  /** When the last round came to it, milliseconds of a clock that only counts. */
  checkedAt = 0;

  constructor(options: NamespaceChecksOptions) {
    const { temporal, settings } = options;
    this.#policies = new PolicyStatus(options);
    const roundMs = roundSecondsOf(settings) * 1_000;
    this.#checks = checksOf(settings)
      .filter(({ isOff }) => !isOff)
      .map((check) => {
        const schedule = checkSchedule(temporal, scheduleIdOf(check.name, settings.identity));
        const parts = { ...options, check, schedule, roundMs };
        return new RegularCheck(parts, finders[check.name](parts));
      });
  }

  /** Never rejects. Resolves with how many were made, when they have ended. */
  async make(all: boolean): Promise<number> {
    this.checkedAt = monotonicMs();
    const due = this.#checks.filter((check) => check.isDue(all));
    await Promise.all([...due.map((check) => check.make()), this.#policies.refresh()]);
    return due.length;
  }

  /** A policy was edited: its author need not wait for a round to see what it does. */
  policiesEdited(): void {
    this.#policies.refreshSoon();
  }

  get outcomes(): CheckOutcome[] {
    return this.#checks.flatMap(({ outcome }) => outcome ?? []);
  }
}

/** It stands in the history of each round until it succeeds. */
const reasonMax = 300;

interface RegularParts extends NamespaceChecksOptions, FinderParts {
  check: Check;
  /** Between two rounds. */
  roundMs: number;
}

class RegularCheck {
  readonly #parts: RegularParts;
  readonly #find: Find;
  #dueAt: number;
  #isUnderWay = false;
  /** Finding of the last one, and the runs that were started for it. */
  #last: { key: string; triggers: number } | undefined;
  outcome: CheckOutcome | undefined;

  constructor(parts: RegularParts, find: Find) {
    this.#parts = parts;
    this.#find = find;
    // Namespaces that come together, as at the start of a worker, do not check together for ever.
    const rounds = Math.floor((random() * parts.check.periodSeconds * 1_000) / parts.roundMs);
    this.#dueAt = monotonicMs() + rounds * parts.roundMs;
  }

  /** A check that hangs since an earlier round is not made beside that. */
  isDue(all: boolean): boolean {
    return !this.#isUnderWay && (all || monotonicMs() >= this.#dueAt);
  }

  async make(): Promise<void> {
    const { check, metrics, log, signal, roundMs } = this.#parts;
    // Rounds are not a period apart to the second.
    this.#dueAt = monotonicMs() + check.periodSeconds * 1_000 - roundMs / 2;
    this.#isUnderWay = true;
    const at = new Date(nowMs()).toISOString();
    try {
      const checking = orAborted(this.#check(), signal);
      this.outcome = { check: check.name, at, ...(await orAborted(checking, limit())) };
    } catch (err) {
      if (signal.aborted) return;
      // A failed one is said once; the next one may succeed.
      if (this.outcome?.outcome !== 'failed')
        log.warn({ err, check: check.name }, 'a check could not be made');
      const why = reasonOf(err).slice(0, reasonMax);
      this.outcome = { check: check.name, at, outcome: 'failed', why };
    } finally {
      this.#isUnderWay = false;
    }
    metrics.count(check.name, this.outcome.outcome);
  }

  async #check(): Promise<Pick<CheckOutcome, 'outcome' | 'why'>> {
    const finding = await this.#find();
    if (finding) return { outcome: await this.#follow(finding), why: finding.why };
    this.#last = undefined;
    return { outcome: 'nothing' };
  }

  async #follow({ key, why }: Finding): Promise<'found' | 'triggered'> {
    const { check, schedule, log } = this.#parts;
    const triggers = this.#last?.key === key ? this.#last.triggers : 0;
    this.#last = { key, triggers };
    const isDue = mayTrigger({
      schedule: await schedule.describe(),
      earlier: triggers,
      periodSeconds: check.periodSeconds,
      longestWaitSeconds: Math.max(check.longestWaitSeconds, check.periodSeconds),
      now: nowMs(),
    });
    if (!isDue) return 'found';
    await schedule.trigger();
    this.#last = { key, triggers: triggers + 1 };
    log.info({ check: check.name, why }, 'a check is run');
    return 'triggered';
  }
}

const limit = (): AbortSignal => timeoutSignal(longestCheckMs);
