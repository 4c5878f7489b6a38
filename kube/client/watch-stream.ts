/** Splits a watch's body into its events: one JSON object per line. */

const newline = 0x0a;

/** A line has more bytes than this client takes. */
export class LineTooLong extends Error {}

/**
 * Bytes in, whole lines out; a line may span any number of chunks, also in the middle of a
 * character. Throws `LineTooLong` at one with more bytes, as a server that is none may send one
 * without an end.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  longestBytes: number,
): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = chunk.subarray(start, end);
      yield pending.length === 0 ? line.toString() : Buffer.concat([...pending, line]).toString();
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > longestBytes) throw new LineTooLong(`a line of over ${longestBytes} bytes`);
  }
  // A rest without a newline is an event that was cut off by the end of the connection: it comes
  // again.
}
