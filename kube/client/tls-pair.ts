/** Checks that a client certificate and a private key belong together. */
import { createPrivateKey, X509Certificate } from 'node:crypto';

export interface TlsPair {
  /** PEM; of a chain the first one is the client's. */
  cert: Buffer;
  /** PEM, without a passphrase. */
  key: Buffer;
}

/** Returns why they do not, without quoting either; undefined: they do. */
export function faultOfTlsPair({ cert, key }: TlsPair): string | undefined {
  const certificate = orNothing(() => new X509Certificate(cert));
  if (!certificate) return 'the certificate is not in PEM';
  const privateKey = orNothing(() => createPrivateKey(key));
  if (!privateKey) return 'the key is not in PEM, or has a passphrase';
  return certificate.checkPrivateKey(privateKey) ? undefined : 'the certificate is of another key';
}

/** The parser's error may quote what it reads. */
function orNothing<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
