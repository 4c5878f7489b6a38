import type { ReplacementFacts } from '../../workflows/plan/machine/replacement-limit.ts';
import { WrittenMachines } from './written-machines.ts';

/** Why a machine that is past its health timeout is not replaced now. */
export interface ReplacementHold {
  reason: string;
  isMeltdown: boolean;
  /** Its owner wants it so: only that ends it. */
  isWanted?: true;
}

/** What counts for all machines of an owner. */
export interface ReplacementCount {
  meltdown?: ReplacementHold;
  /** Absent without an owner. */
  facts?: Omit<ReplacementFacts, 'name'>;
}

/**
 * What the activities of one namespace remember from call to call. With the process it is lost,
 * which costs a read, a list or an Event.
 */
export interface ActivityMemory {
  /** Shared by the namespaces of the process. */
  written: WrittenMachines;
  /** The last look for a meltdown. */
  meltdown?: { at: number; answer: Promise<ReplacementHold | undefined> };
  /** By UID of the MachineSet, in the order of their age. */
  replacements: Map<string, { at: number; count: ReplacementCount }>;
  /** UIDs of the objects that have an Event of the stop with this UID. */
  stop?: { uid: string; reported: Set<string> };
  /** The CRD has no such field: what is written there is left out, each time. */
  lacksNodeRef?: boolean;
}

export function createMemory(written = new WrittenMachines()): ActivityMemory {
  return { written, replacements: new Map() };
}
