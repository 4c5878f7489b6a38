/** Failures in the words of the driver contract. */
import { DriverError } from '../driver.ts';
import { meanings, type MeaningName } from '../error-meanings.ts';

/** What the driver itself found out: it has no answer of the cloud behind it. */
export function fault(meaning: MeaningName, message: string, settled = false): DriverError {
  const { isRefusal: _, ...known } = meanings[meaning];
  return new DriverError({ ...known, message, settled });
}

const transientCodes: readonly string[] = ['Unavailable', 'DeadlineExceeded', 'Aborted'];

/** Asking again may help. */
export function isTransient(error: unknown): error is DriverError {
  return error instanceof DriverError && transientCodes.includes(error.code);
}
