/**
 * A driver whose creates are counted, and whose operations are waited for here: the kit asks once
 * and gets the outcome.
 */
import type { CreateRequest, Driver, MachineRequest } from '../../activities/drivers/driver.ts';
import { DriverError, DriverPending } from '../../activities/drivers/driver.ts';

export interface Limits {
  /** Machines that may be asked for. */
  maxInstances: number;
  /** Aborted: nothing is made any more, and no create is waited for. */
  signal: AbortSignal;
  sleep(seconds: number): Promise<void>;
  /** Of all polls of one operation. */
  longestWaitSeconds: number;
}

export interface LimitedDriver extends Driver {
  /** Names of the machines that were asked for. */
  readonly asked: ReadonlySet<string>;
}

export function limitedDriver(driver: Driver, limits: Limits): LimitedDriver {
  const asked = new Set<string>();
  const admit = ({ machine: { name }, providerSpec }: CreateRequest): void => {
    if (limits.signal.aborted) throw refusal('Canceled', 'the run ends: nothing is made any more');
    // What the driver refuses by itself is not made.
    if (driver.validate(providerSpec).length > 0) return;
    if (!asked.has(name) && asked.size >= limits.maxInstances) {
      const message = `--max-instances ${limits.maxInstances} are asked for already`;
      throw refusal('InvalidArgument', message);
    }
    asked.add(name);
  };
  return {
    ...driver,
    asked,
    async createInstance(request) {
      admit(request);
      const isOver = (): boolean => limits.signal.aborted || request.signal.aborted;
      return await followed(request, { ...limits, isOver }, (one) => driver.createInstance(one));
    },
    deleteInstance: (request) =>
      followed(request, { ...limits, isOver: () => request.signal.aborted }, (one) =>
        driver.deleteInstance(one),
      ),
  };
}

interface Following extends Pick<Limits, 'sleep' | 'longestWaitSeconds'> {
  isOver(): boolean;
}

/** Asks again with the checkpoint, as the core does. */
async function followed<Request extends MachineRequest, Answer>(
  first: Request,
  { sleep, longestWaitSeconds, isOver }: Following,
  call: (request: Request) => Promise<Answer>,
): Promise<Answer> {
  let request = first;
  let waited = 0;
  for (;;) {
    try {
      return await call(request);
    } catch (error) {
      if (!(error instanceof DriverPending)) throw error;
      const { checkpoint, pollAfterSeconds, message } = error;
      if (isOver()) throw refusal('Canceled', message, false);
      if (waited >= longestWaitSeconds) throw refusal('DeadlineExceeded', message, false);
      await sleep(pollAfterSeconds);
      waited += pollAfterSeconds;
      const { checkpoint: _, ...rest } = request;
      request = Object.assign({}, first, rest, checkpoint === undefined ? {} : { checkpoint });
    }
  }
}

type Code = DriverError['code'];

function refusal(code: Code, message: string, settled = true): DriverError {
  return new DriverError({ code, message, settled });
}
