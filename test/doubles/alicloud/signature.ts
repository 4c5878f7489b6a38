/**
 * The signature ACS3-HMAC-SHA256 as Alibaba Cloud describes it ("Request syntax and signature
 * method V3"), without its SDK.
 */
import { createHash, createHmac } from 'node:crypto';

export interface SignedCall {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

export interface Signature {
  keyId: string;
  signed: string[];
  signature: string;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

export function signatureIn(authorization: string | undefined): Signature | undefined {
  const form = /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=([0-9a-f]+)$/;
  const [, keyId, signed, signature] = form.exec(authorization ?? '') ?? [];
  if (keyId === undefined || signed === undefined || signature === undefined) return undefined;
  return { keyId, signed: signed.split(';'), signature };
}

export function canonicalRequest(call: SignedCall, signed: readonly string[]): string {
  const query = Object.entries(call.query)
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const headers = signed.map((name) => `${name}:${(call.headers[name] ?? '').trim()}\n`).join('');
  return [call.method, call.path, query, headers, signed.join(';'), digest(call.body)].join('\n');
}

export function signatureOf(canonical: string, secret: string): string {
  const text = `ACS3-HMAC-SHA256\n${digest(canonical)}`;
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** RFC 3986. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
