import type { Timing } from '../../../../activities/drivers/wait.ts';

export interface InstantTiming extends Timing {
  /** Milliseconds, in the order asked for. */
  pauses: number[];
}

/** Waits pass at once; the clock goes on by them. */
export function instantTiming(): InstantTiming {
  const pauses: number[] = [];
  let nowMs = 0;
  return {
    pauses,
    nowMs: () => nowMs,
    async sleep(milliseconds) {
      nowMs += milliseconds;
      pauses.push(milliseconds);
    },
    random: () => 0.5,
  };
}
