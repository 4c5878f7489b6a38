/**
 * Checks that Temporal answers, for `/readyz`. The SDK connects again by itself and says nothing: a
 * process that has lost Temporal would seem ready for hours.
 */
import type { Registry } from 'prom-client';
import { Histogram } from 'prom-client';
import { registerComputed } from '../metrics/computed.ts';
import type { Timer } from '../../activities/system/system.ts';
import { every, monotonicMs } from '../../activities/system/system.ts';
import { grpcRefusals } from '../../workflows/values/grpc-refusals.ts';
import { reasonOf } from '../log/reason.ts';

const periodMs = 15_000;
/** A server that restarts, or moves to another address, is back before. */
const longestSilenceMs = 60_000;

const noAnswer = { what: 'has not answered', why: '' };

export interface TemporalReachOptions {
  /** Address of the server, for people. */
  address: string;
  /** One call, with a time limit of its own. Fails when there is no answer. */
  ask(): Promise<unknown>;
  /** An answer came, so many seconds after the question. */
  onAnswer?(seconds: number): void;
}

export class TemporalReach {
  readonly #options: TemporalReachOptions;
  readonly #timer: Timer;
  #answeredAt = monotonicMs();
  #isAsking = false;
  #hasAnswered = true;
  /** The last call that failed: what was done, and why. */
  #failure = noAnswer;

  /** It has just answered. */
  constructor(options: TemporalReachOptions) {
    this.#options = options;
    this.#timer = every(periodMs, () => void this.#ask(), { keepsAlive: false });
  }

  /** For people; undefined while it answers, or did within the last minute. */
  fault(): string | undefined {
    const silence = monotonicMs() - this.#answeredAt;
    if (silence <= longestSilenceMs) return undefined;
    const seconds = Math.floor(silence / 1_000);
    const { what, why } = this.#failure;
    return `Temporal at ${this.#options.address} ${what} for ${seconds} s${why}`;
  }

  /** The last question whose outcome is known was answered. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  close(): void {
    this.#timer.cancel();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const askedAt = monotonicMs();
    try {
      await this.#options.ask();
      this.#answeredAt = monotonicMs();
      this.#hasAnswered = true;
      this.#failure = noAnswer;
      this.#options.onAnswer?.((this.#answeredAt - askedAt) / 1_000);
    } catch (error) {
      this.#hasAnswered = false;
      // A namespace that is gone, or a key that has ended, is no server that is away.
      const what = isRefusal(error) ? 'has refused' : noAnswer.what;
      this.#failure = { what, why: `: ${reasonOf(error)}` };
    } finally {
      this.#isAsking = false;
    }
  }
}

/** An error of gRPC has its code as a number, those of Node.js as a text. */
function isRefusal(error: unknown): boolean {
  const { code }: { code?: unknown } = Object(error);
  return typeof code === 'number' && grpcRefusals.includes(code);
}

/** The same, which says in metrics whether and how fast Temporal answers. */
export function measuredReach(
  registry: Registry,
  options: Omit<TemporalReachOptions, 'onAnswer'>,
): TemporalReach {
  const seconds = new Histogram({
    name: 'millwright_temporal_check_duration_seconds',
    help: 'How long Temporal took to answer a small call that is made every 15 s.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const reach = new TemporalReach({ ...options, onAnswer: (took) => seconds.observe(took) });
  registerComputed(
    registry,
    [
      {
        name: 'millwright_temporal_reachable',
        type: 'gauge',
        help: '1 when Temporal answered the last of these calls, else 0.',
        labels: [],
        read: () => [{ labels: {}, value: Number(reach.hasAnswered) }],
      },
    ],
    () => [undefined],
  );
  return reach;
}
