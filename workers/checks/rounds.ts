/** The activity of a round: the checks of all namespaces that this process serves. */
import { inParallel } from '../../activities/runtime/parallel.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { anySignal, monotonicMs, timeoutSignal } from '../../activities/system/system.ts';
import type {
  InstallActivities,
  SafetyReport,
} from '../../workflows/contracts/safety-activities.ts';
import type { NamespaceChecks } from './namespace-checks.ts';

/** Namespaces at a time. */
const width = 50;
/** An API server that hangs holds a place for so long; then its checks go on beside the others. */
const longestTurnMs = 20_000;
/** Later no turn begins: together with the longest one it is less than an attempt may take. */
const lastTurnMs = 45_000;
/** The report stands in the history of each round. */
const namedMax = 20;

type CheckedNamespace = Pick<NamespaceChecks, 'checkedAt' | 'make' | 'outcomes'>;

export class Rounds {
  readonly #served = new Map<string, CheckedNamespace>();

  /** Namespaces that are served. */
  get size(): number {
    return this.#served.size;
  }

  add(namespace: string, checks: CheckedNamespace): void {
    this.#served.set(namespace, checks);
  }

  remove(namespace: string): void {
    this.#served.delete(namespace);
  }

  /** `signal`: ends the round. */
  async check(
    { all }: Parameters<InstallActivities['checkNamespaces']>[0],
    signal: AbortSignal,
  ): Promise<SafetyReport> {
    const began = monotonicMs();
    const turns = [...this.#served].toSorted(
      ([name, one], [otherName, other]) =>
        one.checkedAt - other.checkedAt || (name < otherName ? -1 : 1),
    );
    let made = 0;
    let postponed = 0;
    await inParallel(turns, width, async ([, checks]) => {
      if (signal.aborted || monotonicMs() - began > lastTurnMs) return void (postponed += 1);
      const turn = checks.make(all).then((count) => void (made += count));
      const end = anySignal([signal, timeoutSignal(longestTurnMs)]);
      await orAborted(turn, end).catch(() => undefined);
    });
    return { ...this.#report(), made, postponed };
  }

  #report(): Omit<SafetyReport, 'made' | 'postponed'> {
    const all = [...this.#served].map(([namespace, { outcomes: checks }]) => ({
      namespace,
      checks,
      found: checks.filter(({ outcome }) => outcome !== 'nothing').length,
    }));
    const last = all
      .toSorted(
        (one, other) => other.found - one.found || (one.namespace < other.namespace ? -1 : 1),
      )
      .slice(0, namedMax)
      .map(({ namespace, checks }) => ({ namespace, checks }));
    return { namespaces: all.length, found: all.reduce((sum, { found }) => sum + found, 0), last };
  }
}
