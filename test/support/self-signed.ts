/** Certificates that nothing but a test trusts. */
// The library refuses to load without this.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const elliptic = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const rsa = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};

export interface SelfSignedOptions {
  /** Common name. */
  name: string;
  /** DNS names of a server. Default none. */
  hosts?: readonly string[];
  /** Default: it says nothing of it. */
  isAuthority?: boolean;
  /** Default: a year from now. */
  until?: string;
  /** Default: an elliptic curve. */
  isRsa?: boolean;
}

export interface SelfSigned {
  /** PEM, PKCS 8. */
  key: string;
  /** PEM, with a newline at its end. */
  certificate: string;
}

export async function selfSigned(options: SelfSignedOptions): Promise<SelfSigned> {
  const { name, hosts = [], isAuthority, until, isRsa = false } = options;
  x509.cryptoProvider.set(webcrypto);
  const algorithm = isRsa ? rsa : elliptic;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const names = hosts.map((value) => ({ type: 'dns' as const, value }));
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    ...(until !== undefined && { notBefore: new Date('2026-01-01'), notAfter: new Date(until) }),
    extensions: [
      ...(isAuthority === undefined
        ? []
        : [new x509.BasicConstraintsExtension(isAuthority, 0, true)]),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  });
  return {
    key: x509.PemConverter.encode(
      await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
      'PRIVATE KEY',
    ),
    certificate: `${certificate.toString('pem')}\n`,
  };
}
