/** Requests for certificates as kubelets send them, and as they never would. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { CertificateSigningRequest } from '../../activities/serving-certificates/review.ts';

type Key = (webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams) & { hash: string };

const ecdsa: Key = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export const rsa = (modulusLength: number): Key => ({
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
});

export interface RequestOptions {
  nodeName?: string;
  /** Default: a kubelet's, of `nodeName`. */
  subject?: x509.JsonName;
  /** Default: the name of the Node and 10.0.0.1. */
  names?: x509.JsonGeneralNames;
  /** Beside the names. */
  extensions?: x509.Extension[];
  attributes?: x509.Attribute[];
  key?: Key;
}

/** PEM. */
export async function aRequest({
  nodeName = 'pool-a',
  subject = [{ O: ['system:nodes'] }, { CN: [`system:node:${nodeName}`] }],
  names = [
    { type: 'dns', value: nodeName },
    { type: 'ip', value: '10.0.0.1' },
  ],
  extensions = [],
  attributes = [],
  key = ecdsa,
}: RequestOptions = {}): Promise<string> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(key, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: key,
    extensions: [
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      ...extensions,
    ],
    attributes,
  });
  return `${request.toString('pem')}\n`;
}

export interface SentOptions {
  nodeName?: string;
  /** Of the object. */
  name?: string;
  spec?: Partial<CertificateSigningRequest['spec']> & { expirationSeconds?: number };
}

/** As the API server stores what a kubelet has sent. */
export function aSigningRequest(
  pem: string,
  { nodeName = 'pool-a', name = 'csr-1', spec = {} }: SentOptions = {},
) {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: 'kubernetes.io/kubelet-serving',
      username: `system:node:${nodeName}`,
      groups: ['system:nodes', 'system:authenticated'],
      usages: ['digital signature', 'server auth'],
      ...spec,
    },
  };
}
