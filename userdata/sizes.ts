/** What clouds take as user data. */
import { gzipSync } from 'node:zlib';

export interface SizeLimit {
  /** Most bytes of what is given to the driver. */
  bytes: number;
  /** The cloud and its images take bytes that gzip made. */
  takesGzip: boolean;
}

/** By `provider` of the class. Absent: not known, and not checked. */
export const sizeLimits: Readonly<Record<string, SizeLimit>> = {
  AWS: { bytes: 16 * 1024, takesGzip: true },
};

/**
 * The text, or the same packed by gzip where only that fits; or a sentence with size and limit.
 * The same text gives the same bytes.
 */
export function fitted(
  text: string,
  { provider, format }: { provider: string; format: 'cloud-init' | 'ignition' },
): { userData: string | Uint8Array } | { fault: string } {
  const limit = sizeLimits[provider];
  const bytes = Buffer.byteLength(text);
  if (!limit || bytes <= limit.bytes) return { userData: text };
  const packed =
    limit.takesGzip && format === 'cloud-init' ? gzipSync(text, { level: 9 }) : undefined;
  if (packed && packed.length <= limit.bytes) return { userData: packed };
  const size = packed ? `${bytes} bytes, ${packed.length} with gzip` : `${bytes} bytes`;
  return { fault: `the user data have ${size}: ${provider} takes ${limit.bytes}` };
}
