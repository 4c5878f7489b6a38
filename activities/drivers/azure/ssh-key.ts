/**
 * The SSH key of virtual machines whose class has none. Azure wants one where passwords are off,
 * and refuses another one in a repeated PUT, so it has to be the same each time; and its private
 * part must not exist.
 *
 * So it is no key pair at all: a hash of a public text is taken as a point on the curve of Ed25519,
 * and the next one until it is one. The private part would be the point's discrete logarithm, which
 * is unknown for a point that was found in this way. (An RSA modulus that was found so would be
 * unsafe: some of such numbers can be factored.) Azure takes Ed25519 keys of Linux virtual
 * machines.
 */
import { createHash } from 'node:crypto';
import type { Environment } from '../settings.ts';

const prime = 2n ** 255n - 19n;
/** -121665/121666, of RFC 8032. */
const d = mod(-121665n * power(121666n, prime - 2n));

/**
 * `MILLWRIGHT_AZURE_SSH_PUBLIC_KEY` of the process, for clouds and images that do not take Ed25519.
 * Undefined: the key without a private part.
 */
export function defaultSshKey(env: Environment): string | undefined {
  const key = env['MILLWRIGHT_AZURE_SSH_PUBLIC_KEY']?.trim();
  if (!key) return undefined;
  if (/^ssh-(rsa|ed25519) [A-Za-z0-9+/]+=*( \S.*)?$/.test(key)) return key;
  const message =
    'MILLWRIGHT_AZURE_SSH_PUBLIC_KEY: it is not a public key of OpenSSH that Azure takes: ssh-rsa or ssh-ed25519, a space, and base64';
  throw new Error(message);
}

export function publicKeyOfNobody(): string {
  for (let counter = 0; ; counter += 1) {
    const digest = createHash('sha256').update(`millwright: nobody's SSH key ${counter}`).digest();
    if (isPoint(digest)) return openSshKey(digest);
  }
}

/**
 * The 32 bytes are little-endian: y, and the sign of x in the highest bit. Every second number is
 * one.
 */
export function isPoint(bytes: Uint8Array): boolean {
  const number = BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`);
  const y = number % 2n ** 255n;
  if (y >= prime) return false;
  const u = mod(y * y - 1n);
  const v = mod(d * y * y + 1n);
  // x² = u/v has a solution exactly if u·v is a square.
  return u !== 0n && power(mod(u * v), (prime - 1n) / 2n) === 1n;
}

function openSshKey(point: Uint8Array): string {
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(point)]);
  return `ssh-ed25519 ${blob.toString('base64')} nobody`;
}

function field(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function mod(value: bigint): bigint {
  return ((value % prime) + prime) % prime;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = mod(base);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
