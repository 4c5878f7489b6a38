/** Public keys of SSH as a line each: `TYPE BASE64 COMMENT`, the middle in the form of RFC 4253. */
import { createPublicKey, type JsonWebKey } from 'node:crypto';

interface KeyType {
  /** Values of the form after the type itself. */
  count: number;
  /** For OpenSSL, which knows whether a point is on its curve. Absent: it has no such form. */
  jwk?: (values: readonly Buffer[]) => JsonWebKey;
}

const text = (value: Buffer | undefined): string => value?.toString('base64url') ?? '';

const edwards = ([x]: readonly Buffer[]): JsonWebKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: text(x),
});

const curve = (crv: string, name: string, bytes: number) => {
  return ([named, point]: readonly Buffer[]): JsonWebKey => {
    const isWhole =
      named?.toString() === name && point?.[0] === 4 && point.length === 2 * bytes + 1;
    if (!isWhole) return {};
    return {
      kty: 'EC',
      crv,
      x: text(point.subarray(1, bytes + 1)),
      y: text(point.subarray(bytes + 1)),
    };
  };
};

const types: Readonly<Record<string, KeyType>> = {
  'ssh-ed25519': { count: 1, jwk: edwards },
  // Of security keys the last value is the application.
  'sk-ssh-ed25519@openssh.com': { count: 2, jwk: edwards },
  'ssh-rsa': { count: 2, jwk: ([e, n]) => ({ kty: 'RSA', e: text(e), n: text(n) }) },
  'ecdsa-sha2-nistp256': { count: 2, jwk: curve('P-256', 'nistp256', 32) },
  'ecdsa-sha2-nistp384': { count: 2, jwk: curve('P-384', 'nistp384', 48) },
  'ecdsa-sha2-nistp521': { count: 2, jwk: curve('P-521', 'nistp521', 66) },
  'sk-ecdsa-sha2-nistp256@openssh.com': { count: 3, jwk: curve('P-256', 'nistp256', 32) },
  'ssh-dss': { count: 4 },
};

/** A sentence for each that is none, with its number and comment, without its text. */
export function sshKeyFaults(keys: readonly unknown[]): string[] {
  return keys.flatMap((key, index) => {
    const line = typeof key === 'string' ? key.trim() : '';
    const [type = '', blob = '', comment = ''] = line.split(/[ \t]+/);
    const why = faultOf(line, type, blob);
    if (why === undefined) return [];
    // A person may have pasted a private key: the sentence has no part of it.
    const isComment = Object.hasOwn(types, type) && /^[\w.@-]{1,40}$/.test(comment);
    const who = isComment ? ` (${comment})` : '';
    return [`sshPublicKeys[${index}]${who} is not a public key of SSH: ${why}`];
  });
}

function faultOf(line: string, type: string, blob: string): string | undefined {
  if (/[\r\n]/.test(line)) return 'it has more than one line; make each key an item';
  const known = Object.hasOwn(types, type) ? types[type] : undefined;
  if (!known) {
    return `it must begin with one of ${Object.keys(types).join(', ')}; options are not allowed`;
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(blob) || blob.length % 4 !== 0) {
    return 'what follows its type is not base64, or cut off';
  }
  const [named, ...values] = valuesIn(Buffer.from(blob, 'base64'));
  const isWhole = named?.toString() === type && values.length === known.count;
  if (!isWhole || !isKey(known, values)) return `its text is not that of a key of ${type}`;
  return undefined;
}

function isKey({ jwk }: KeyType, values: readonly Buffer[]): boolean {
  if (values.some((value) => value.length === 0)) return false;
  if (!jwk) return true;
  try {
    createPublicKey({ key: jwk(values), format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** Each has its length before it, in four bytes; none, where something is left over. */
function valuesIn(bytes: Buffer): Buffer[] {
  const values: Buffer[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const end = at + 4 + bytes.readUInt32BE(at);
    values.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return at === bytes.length ? values : [];
}
