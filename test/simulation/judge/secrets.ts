/** Finds values of Secrets where none may be: each has the marker, plain or in base64. */
import { secretMarker } from '../users/objects.ts';

const needles: readonly string[] = [secretMarker, ...base64Forms(secretMarker)];
const bytes = needles.map((needle) => Buffer.from(needle));

/** What it stands in, shortened; undefined: there is no secret. */
export function findSecret(text: string): string | undefined {
  for (const needle of needles) {
    const index = text.indexOf(needle);
    if (index >= 0) return text.slice(Math.max(0, index - 40), index + needle.length);
  }
  return undefined;
}

/** The same for the bytes of a payload, without making a text of them. */
export function hasSecret(data: Uint8Array | null | undefined): boolean {
  if (!data || data.length === 0) return false;
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.some((needle) => buffer.includes(needle));
}

/** In base64 a text has three forms, by what comes before it; its edges depend on neighbours. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from(`${'x'.repeat(before)}${text}`).toString('base64');
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + text.length) * 8) / 6);
    return encoded.slice(first, last);
  });
}
