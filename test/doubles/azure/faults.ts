/** What a test orders to go wrong. */
export interface Fault {
  /**
   * `throttle`: 429 with Retry-After. `refuse`: an error at once. `failOperation`: the write is
   * accepted and its operation fails. `loseAnswer`: the work is done, the connection cut.
   * `unnamed`: the operation is not told. `signed`: its address has a signature. `cut`: before the
   * work. `slow`: the operation takes longer. `hang`: no answer. `html`: the page of a proxy.
   * `stale`: a look shows what was there before the last create or delete.
   */
  kind:
    | 'unnamed'
    | 'signed'
    | 'throttle'
    | 'refuse'
    | 'failOperation'
    | 'loseAnswer'
    | 'cut'
    | 'slow'
    | 'hang'
    | 'html'
    | 'stale';
  /** A part of `METHOD /path`, in lower case. Default: every request of the Resource Manager. */
  match?: string;
  /** Requests that it lets pass first. Default 0. */
  skip?: number;
  /** How often it happens. Default 1. */
  times?: number;
  /** Of `refuse`, default 400; of `html`, default 404. */
  status?: number;
  code?: string;
  message?: string;
  /** Of `refuse` and `throttle`: what stands within the error. */
  details?: { code: string; message: string }[];
  /** Of `throttle`. Default 1. */
  seconds?: number;
  /** Of `slow`, by the double's clock. Default 1000. */
  milliseconds?: number;
  /** Of `failOperation`: the virtual machine runs all the same. */
  runs?: boolean;
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  take(request: string): Fault | undefined;
}

export function createFaults(): Faults {
  let faults: (Fault & Required<Pick<Fault, 'skip' | 'times' | 'match'>>)[] = [];
  return {
    add(fault) {
      faults.push({
        ...fault,
        skip: fault.skip ?? 0,
        times: fault.times ?? 1,
        match: fault.match ?? '',
      });
    },
    clear() {
      faults = [];
    },
    take(request) {
      const fault = faults.find(({ match, times }) => times > 0 && request.includes(match));
      if (!fault) return undefined;
      if (fault.skip > 0) {
        fault.skip -= 1;
        return undefined;
      }
      fault.times -= 1;
      return fault;
    },
  };
}
