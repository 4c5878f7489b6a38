/** Phases of all machines of a namespace at each moment, as a watch tells them. */
import { customResource } from '../../../activities/kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { LiveList } from './live-list.ts';
import type { Scenario } from './scenario.ts';

/** How many machines are in each phase; those that are being deleted count as `Terminating`. */
export type PhaseCounts = Record<string, number>;

export class PhaseRecorder {
  readonly moments: PhaseCounts[] = [];
  readonly #machines: LiveList<Machine, string>;

  /** Begins at once. */
  constructor({ cluster, namespace }: Scenario) {
    this.#machines = new LiveList<Machine, string>({
      kube: cluster.kube,
      path: customResource('machines', namespace),
      project: phaseOf,
      onChange: () => this.moments.push(countsOf(this.#machines.items.values())),
    });
  }

  async started(): Promise<void> {
    await this.#machines.synced;
  }

  async stop(): Promise<void> {
    await this.#machines.stop();
  }
}

function phaseOf({ metadata, status }: Machine): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return status?.currentStatus?.phase || 'Pending';
}

function countsOf(phases: Iterable<string>): PhaseCounts {
  const counts: PhaseCounts = {};
  for (const phase of phases) counts[phase] = (counts[phase] ?? 0) + 1;
  return counts;
}
