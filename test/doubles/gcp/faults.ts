/** Faults that a test orders: what goes wrong, with which calls, and how often. */

export type Operation =
  'insert' | 'get' | 'delete' | 'list' | 'setLabels' | 'serialPort' | 'operation' | 'token';

export interface Fault {
  kind:
    /** 403 rateLimitExceeded. */
    | 'rateLimit'
    /** 429 with Retry-After. */
    | 'tooMany'
    /** 403 quotaExceeded. */
    | 'quota'
    /** An answer with `status`, `reason` and `message`. */
    | 'error'
    /**
     * The operation that the call begins fails with `code` and `message`, or with all of `errors`,
     * and with `status` (default 400).
     */
    | 'operationError'
    /** The same, and it has failed already when the call is answered. */
    | 'failsAtOnce'
    /**
     * The instance that the call makes ends by itself, `seconds` (default 0) after it is made: with
     * `reason` as its status, or else it goes.
     */
    | 'dies'
    /** 404, or `status`, of something in between that is not Google. */
    | 'html'
    /** 200 and an empty JSON object, of something in between as well. */
    | 'empty'
    /** The operation that the call begins takes `seconds`. */
    | 'slow'
    /** The work is done, and the connection cut. */
    | 'loseAnswer'
    /** The connection is cut, and nothing done. */
    | 'cutBefore'
    /** No answer; the connection stays. */
    | 'hang';
  /** Default: each. */
  operation?: Operation;
  /** Of the instance. Default: each. */
  name?: string;
  /** Default 1. */
  times?: number;
  /** Calls that it lets pass before. Default 0. */
  skip?: number;
  seconds?: number;
  status?: number;
  reason?: string;
  infoReason?: string;
  code?: string;
  message?: string;
  errors?: { code: string; message: string }[];
}

export interface FaultedCall {
  operation: Operation;
  name?: string | undefined;
}

export class Faults {
  #ordered: (Fault & { times: number; skip: number })[] = [];

  add(fault: Fault): void {
    this.#ordered.push({ ...fault, times: fault.times ?? 1, skip: fault.skip ?? 0 });
  }

  clear(): void {
    this.#ordered = [];
  }

  /** All that this call meets; each counts down. */
  take(call: FaultedCall): Fault[] {
    const met = this.#ordered.filter((fault) => concerns(fault, call));
    const due = met.filter((fault) => fault.skip === 0);
    for (const fault of met) {
      if (fault.skip > 0) fault.skip -= 1;
      else fault.times -= 1;
    }
    this.#ordered = this.#ordered.filter(({ times }) => times > 0);
    return due;
  }
}

function concerns({ operation, name }: Fault, call: FaultedCall): boolean {
  return (operation ?? call.operation) === call.operation && (name ?? call.name) === call.name;
}
