/**
 * Texts that Temporal keeps beside a step or in its search: it refuses longer ones, and with them
 * all that the workflow decided.
 */

/**
 * The server's limit for a summary, `limit.userMetadataSummarySize`, less some room for the quotes
 * around it.
 */
export const longestSummaryBytes = 380;
/** A keyword of the search; names of Kubernetes objects are no longer than 253. */
export const longestKeywordBytes = 255;

/** Cut after so many bytes of UTF-8, between two characters. */
export function clip(text: string, longestBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += bytesOf(character);
    if (bytes > longestBytes) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/**
 * The last so many bytes of UTF-8, between two characters; from the begin of a line, where one
 * begins within the first quarter.
 */
export function clipStart(text: string, longestBytes: number): string {
  let bytes = 0;
  let start = text.length;
  for (const character of Array.from(text).toReversed()) {
    bytes += bytesOf(character);
    if (bytes > longestBytes) return fromLineStart(text.slice(start));
    start -= character.length;
  }
  return text;
}

function fromLineStart(text: string): string {
  const start = text.indexOf('\n') + 1;
  return start > 0 && start <= text.length / 4 ? text.slice(start) : text;
}

/** In JSON a control character, a quote and a lone surrogate are longer than themselves. */
function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (character === '"' || character === '\\') return 2;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
