/** Google's idempotency key: a UUID that the same attempt makes again. */
import { createHash } from 'node:crypto';

/** Random, and ours for ever: with another one an attempt under way would not be recognised. */
const namespace = Buffer.from('8f0c6a54b7d24c0f9a3e51d7c2b86e19', 'hex');

/** A UUID version 5 (RFC 9562) of token and verb. */
export function requestIdOf(token: string, verb: 'insert'): string {
  const digest = createHash('sha1').update(namespace).update(`${verb}/${token}`).digest();
  const bytes = digest.subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const text = bytes.toString('hex');
  const parts = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20)];
  return [...parts, text.slice(20)].join('-');
}
