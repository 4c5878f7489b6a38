import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeFileAtomically } from '../atomic-file.ts';
import type { Layout } from '../layout.ts';
import { host, type Ports } from '../supervision/ports.ts';
import { CertificateAuthority } from './certificates.ts';
import { loadOrCreateTokens } from './tokens.ts';

const serverHosts = [
  host,
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  '10.96.0.1',
];

/** Writes the API server's certificate and a kubeconfig for each user. */
export async function prepareCredentials(layout: Layout, ports: Ports): Promise<void> {
  const authority = await CertificateAuthority.loadOrCreate(layout.pki);
  const serving = await authority.issue({ name: 'kube-apiserver', hosts: serverHosts });
  writeFileAtomically(join(layout.pki, 'apiserver.crt'), serving.certificate);
  writeFileAtomically(join(layout.pki, 'apiserver.key'), serving.key);
  const server = `https://${host}:${ports.kubeApiserver}`;
  for (const [user, token] of loadOrCreateTokens(layout.tokens)) {
    const config = kubeconfigOf(user, { server, authority: authority.certificate, token });
    writeFileAtomically(layout.kubeconfigOf(user), stringify(config));
  }
}

interface Access {
  /** URL of the API server. */
  server: string;
  /** PEM of its certificate authority. */
  authority: string;
  token: string;
}

function kubeconfigOf(user: string, { server, authority, token }: Access): unknown {
  const name = 'millwright-local';
  const certificate = Buffer.from(authority).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': certificate } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
  };
}
