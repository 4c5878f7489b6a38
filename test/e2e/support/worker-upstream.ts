/** What a relay between one of our processes and the API server needs. */
import { stringify } from 'yaml';
import { createCredentials } from '../../../kube/client/credentials.ts';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import type { Upstream } from './relay.ts';
import { testStack } from './test-stack.ts';

export type User = 'millwright-worker' | 'millwright-watcher' | 'millwright-controller';

/**
 * With the process's own certificate, so that the rights of deploy/manifests hold for what goes
 * through a relay.
 */
export async function apiServer(user: User): Promise<Upstream> {
  const config = loadKubeConfig(testStack().layout.kubeconfigOf(user));
  const { headers, tls } = await createCredentials(config).current();
  return { origin: config.cluster.server, headers, tls };
}

/** For the process: `server` is the relay's address. */
export function kubeconfigOf(server: string): string {
  const name = 'relay';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
