/** For work that does not listen to a signal. */

/** The work's own end, or the reason of the signal if that comes first; then the work goes on, and nobody hears of its end. */
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
