import { join } from 'node:path';
import { writeFileAtomically } from '../atomic-file.ts';
import { users, type Layout } from '../layout.ts';
import { host, type Ports } from '../supervision/ports.ts';
import { adminApi, type AdminApi } from './api.ts';
import { CertificateAuthority } from './certificates.ts';
import { writeKubeconfig } from './kubeconfig.ts';

const serverHosts = [
  host,
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  '10.96.0.1',
];

/** Writes the API server's certificate and a kubeconfig for each user. */
export async function prepareCredentials(layout: Layout, ports: Ports): Promise<AdminApi> {
  const authority = await CertificateAuthority.loadOrCreate(layout.pki);
  const serving = await authority.issue({ user: 'kube-apiserver', hosts: serverHosts });
  writeFileAtomically(join(layout.pki, 'apiserver.crt'), serving.certificate);
  writeFileAtomically(join(layout.pki, 'apiserver.key'), serving.key);
  const server = `https://${host}:${ports.kubeApiserver}`;
  const [admin, ...others] = users;
  const pair = await writeKubeconfig(admin, { layout, authority, server });
  for (const user of others) await writeKubeconfig(user, { layout, authority, server });
  return adminApi(ports.kubeApiserver, authority.certificate, pair);
}
