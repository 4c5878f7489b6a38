import { DriverError, type DriverFault } from '../../../activities/drivers/driver.ts';

/** What a driver's call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<Partial<DriverFault>> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DriverError)) {
    throw new Error('it did not fail with a DriverError', { cause: error });
  }
  const { code, kind, settled, message, retryAfterSeconds } = error;
  return {
    code,
    settled,
    message,
    ...(kind && { kind }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
