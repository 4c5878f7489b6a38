/** How long a signal may wait for a newer one of its kind. */
import type { SignalName } from './signal.ts';

export interface Pace {
  /** Sent once nothing newer came for so long. */
  quietMs: number;
  /** Sent then at the latest. */
  maxMs: number;
}

const atOnce: Pace = { quietMs: 0, maxMs: 0 };
/** "Look" signals: a set reads a hundred changed machines in one go. */
const gathered: Pace = { quietMs: 200, maxMs: 500 };

const paces: Record<SignalName, Pace> = {
  machineObserved: atOnce,
  machineGone: atOnce,
  // A Node that joins changes several times within milliseconds.
  nodeObserved: { quietMs: 50, maxMs: 200 },
  classChanged: gathered,
  machineSetObserved: atOnce,
  machineSetGone: atOnce,
  machinesChanged: gathered,
  machineDeploymentObserved: atOnce,
  machineDeploymentGone: atOnce,
  machineSetsChanged: gathered,
  useChanged: gathered,
};

export const paceOf = (name: SignalName): Pace => paces[name];
