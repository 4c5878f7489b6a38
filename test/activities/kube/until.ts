/** Waits for a condition, at most 4 s. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + 4_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Not within 4 s: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
