/** CertificateSigningRequests as a kubelet makes them. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  webcrypto,
} from 'node:crypto';
// Its container of dependencies refuses to load without this.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const kinds = {
  client: { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usage: 'client auth' },
  serving: { signerName: 'kubernetes.io/kubelet-serving', usage: 'server auth' },
} as const;

export interface RequestedCertificate {
  kind: keyof typeof kinds;
  nodeName: string;
  /** PEM. */
  key: string;
  /** IP address of a serving certificate, beside the name of the Node. */
  address?: string;
}

/** PEM. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: algorithm.namedCurve });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Its name follows from key and kind, as a kubelet's does: a second attempt finds the first. */
export async function certificateRequest(requested: RequestedCertificate) {
  const { kind, nodeName, key, address } = requested;
  const { signerName, usage } = kinds[kind];
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const digest = createHash('sha256').update(spki).digest('hex').slice(0, 40);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ['system:nodes'] }, { CN: [`system:node:${nodeName}`] }],
    keys: await keyPairOf(key, spki),
    signingAlgorithm: algorithm,
    extensions: address === undefined ? [] : [alternativeNames(nodeName, address)],
  });
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: `${kind === 'client' ? 'node-csr' : 'csr'}-${digest}` },
    spec: {
      request: Buffer.from(request.toString('pem')).toString('base64'),
      signerName,
      usages: ['digital signature', usage],
    },
  };
}

function alternativeNames(nodeName: string, address: string) {
  return new x509.SubjectAlternativeNameExtension([
    { type: 'dns', value: nodeName },
    { type: 'ip', value: address },
  ]);
}

async function keyPairOf(key: string, spki: Uint8Array): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = webcrypto;
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return {
    privateKey: await subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, algorithm, true, ['verify']),
  };
}
