/** States that objects may be in for a moment, and no longer. */
import type { Install } from '../../../world/world.ts';
import type { Evidence } from '../../evidence.ts';
import type { Rule } from '../../rulings.ts';

/** Something that is as it may not stay. */
export interface Overdue {
  /** A UID. */
  subject: string;
  text: string;
}

export interface Passing {
  rule: Rule;
  /** For so long it may be so, milliseconds. */
  patienceMs: number;
  /** What does not excuse it. */
  despite?: 'stop' | 'target';
  find(evidence: Evidence, install: Install): Overdue[];
}

export const minuteMs = 60_000;
