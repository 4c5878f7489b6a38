/** What the measurement of lone machines finds. */
import type { QueueWaits } from './queue-waits.ts';
import type { Quantiles } from './quantiles.ts';

/** Seconds; each phase begins where the one before it ends. */
export interface LoneTimes {
  name: string;
  /** Seconds since 1970. */
  createdAt: number;
  /** From the change of `replicas` to the Machine. */
  created: number;
  /** From there until its workflow begins; undefined where its history is gone. */
  begun?: number;
  /** From the Machine until the cloud has made its instance. */
  instance: number;
  /** From there to Running, less the boot time. */
  running: number;
  /** Of the last two together: what a machine waits beyond its boot. */
  beyondBoot: number;
  /** From the change of `replicas` to 0 until the Machine is gone. */
  gone?: number;
}

export type LonePhase = Exclude<keyof LoneTimes, 'name' | 'createdAt'>;

export interface LoneWaits {
  samples: number;
  phases: Record<LonePhase, Quantiles>;
  machines: QueueWaits;
  owners: QueueWaits;
}
