import type { Timing } from '../../../../activities/drivers/aws/timing.ts';

export interface InstantTiming extends Timing {
  /** Milliseconds, in the order asked for. */
  pauses: number[];
}

/** Waits pass at once; the clock goes on by them. */
export function instantTiming(): InstantTiming {
  const pauses: number[] = [];
  let now = 0;
  return {
    pauses,
    now: () => now,
    async pause(milliseconds) {
      now += milliseconds;
      pauses.push(milliseconds);
    },
    random: () => 0.5,
  };
}
