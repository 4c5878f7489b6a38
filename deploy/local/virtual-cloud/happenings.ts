/** Entries of the journal. The whole state of the cloud follows from them, in order. */
import type { Fault, Operation } from './faults.ts';
import type { Instance, NodeConditionFault } from './instance.ts';
import type { Settings } from './settings.ts';

/** Written before the answer to a call: what it did, and what the answer will be. */
export interface CallHappening {
  type: 'call';
  operation: Operation;
  /** Name of the instance, as far as it is known; empty for a list of everything. */
  name: string;
  /** In one word: `created`, `known`, `ok`, `NotFound`, `hang`, ... */
  outcome: string;
  id?: string;
  token?: string;
  message?: string;
  /** Faults that fired. */
  faults?: string[];
  /** The machine that the call made. */
  created?: Instance;
  /** The answer was dropped after the work was done. */
  isAnswerLost?: true;
}

export type Happening =
  | CallHappening
  /** This process began. `droppedBytes`: the last line was half written, and so never answered. */
  | { type: 'started'; droppedBytes: number }
  | { type: 'settings'; settings: Settings }
  | { type: 'faults'; faults: Fault[] }
  | { type: 'joined'; id: string; name: string; nodeUid: string }
  /** The API server refuses the Node; tried on. */
  | { type: 'joinRefused'; id: string; name: string; message: string }
  | { type: 'sickened'; id: string; name: string; condition: NodeConditionFault }
  | { type: 'vanished'; id: string; name: string }
  /** Nothing is left to do for the Node of a deleted machine. */
  | { type: 'nodeStopped'; id: string; name: string };

/** `seq` counts from 1 without gaps; `at` is in milliseconds. */
export type JournalEntry = Happening & { seq: number; at: number };
