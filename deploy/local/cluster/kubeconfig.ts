import { stringify } from 'yaml';
import { writeFileAtomically } from '../atomic-file.ts';
import type { Layout, User } from '../layout.ts';

export interface Access {
  /** URL of the API server. */
  server: string;
  /** PEM of its certificate authority. */
  authority: string;
  token: string;
}

export function writeKubeconfig(user: User, layout: Layout, access: Access): void {
  writeFileAtomically(layout.kubeconfigOf(user), stringify(kubeconfig(user, access)));
}

function kubeconfig(user: string, { server, authority, token }: Access): unknown {
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
