import { stringify } from 'yaml';
import { writeFileAtomically } from '../atomic-file.ts';
import type { Layout, User } from '../layout.ts';
import type { CertificateAuthority, KeyPair } from './certificates.ts';

/**
 * Groups of the users that have more than `deploy/rbac.yaml` gives. The controller manager runs all
 * controllers under its one user, and kwok and the virtual cloud stand for kubelets and for a
 * cloud: they may do everything. The operator's own users have only what its RBAC grants.
 */
const groupsOf: Partial<Record<User, readonly string[]>> = {
  admin: ['system:masters'],
  'kube-controller-manager': ['system:masters'],
  kwok: ['system:masters'],
  'virtual-cloud': ['system:masters'],
};

/** The scheduler is known to the built-in roles under this name. */
const nameOf: Partial<Record<User, string>> = { 'kube-scheduler': 'system:kube-scheduler' };

/** Issues a client certificate and writes the user's kubeconfig. */
export async function writeKubeconfig(
  user: User,
  {
    layout,
    authority,
    server,
  }: { layout: Layout; authority: CertificateAuthority; server: string },
): Promise<KeyPair> {
  const pair = await authority.issue({
    user: nameOf[user] ?? user,
    groups: groupsOf[user] ?? [],
  });
  const config = kubeconfig({ user, pair, server, authority: authority.certificate });
  writeFileAtomically(layout.kubeconfigOf(user), stringify(config));
  return pair;
}

function kubeconfig({
  user,
  pair,
  server,
  authority,
}: {
  user: string;
  pair: KeyPair;
  server: string;
  authority: string;
}): unknown {
  const name = 'millwright-local';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: user,
        user: {
          'client-certificate-data': base64(pair.certificate),
          'client-key-data': base64(pair.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
