/**
 * What a workflow does with a call that is pending: it sleeps, here by the double's clock, and asks
 * again.
 */
import { DriverPending } from '../../../../activities/drivers/driver.ts';
import type { AzureDouble } from '../../../doubles/azure/double.ts';

export async function pendingOf(call: Promise<unknown>): Promise<DriverPending> {
  const ended = await call.then(
    (answer: unknown) => ({ answer }),
    (reason: unknown) => reason,
  );
  if (ended instanceof DriverPending) return ended;
  throw new Error(`it is not pending: ${JSON.stringify(ended)}`, { cause: ended });
}

export interface Outcome<Result> {
  result: Result;
  /** What was told meanwhile, without repetitions. */
  told: string[];
  /** Sleeps. */
  polls: number;
}

/** `act` gets the checkpoint of the call before. Fails as it does. */
export async function untilSettled<Result>(
  double: AzureDouble,
  act: (more: { checkpoint?: string }) => Promise<Result>,
): Promise<Outcome<Result>> {
  const told: string[] = [];
  let more: { checkpoint?: string } = {};
  for (let polls = 0; polls < 200; polls += 1) {
    try {
      return { result: await act(more), told, polls };
    } catch (error) {
      if (!(error instanceof DriverPending)) throw error;
      if (told.at(-1) !== error.message) told.push(error.message);
      more = error.checkpoint === undefined ? {} : { checkpoint: error.checkpoint };
      double.resources.pass(error.pollAfterSeconds);
    }
  }
  throw new Error(`it is pending for ever: ${told.join('; ')}`);
}
