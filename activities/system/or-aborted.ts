/** For work that does not listen to a signal. */

/**
 * Ends as the work does, or rejects with the signal's reason if that comes first; then the work
 * goes on and its end is ignored.
 */
export async function orAborted<Answer>(
  work: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
  }
}
