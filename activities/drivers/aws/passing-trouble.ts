/** A look that failed for a moment: waiting for something goes on. */
import { DriverError } from '../driver.ts';

/** Throttled, not answered, or answered with trouble of the cloud's own. What is refused stays refused. */
export function isPassing(error: unknown): error is DriverError {
  if (!(error instanceof DriverError)) return false;
  return error.code === 'Unavailable' || error.code === 'DeadlineExceeded';
}
