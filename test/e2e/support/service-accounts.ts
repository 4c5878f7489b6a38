/** Kubeconfigs of ServiceAccounts, with tokens as pods have them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { KubeClient } from '../../../kube/client/client.ts';
import { logFolderOf, testStack } from './test-stack.ts';

export interface Account {
  namespace: string;
  name: string;
}

/** As the API server calls it. */
export function userNameOf({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** No test takes longer. */
const expirationSeconds = 3_600;

export function kubeconfigFileOf({ namespace, name }: Account): string {
  return join(logFolderOf(testStack(), namespace), `${name}.kubeconfig`);
}

/** Asks for a token (TokenRequest) as the administrator, and returns the path of the kubeconfig. */
export async function writeAccountKubeconfig(kube: KubeClient, account: Account): Promise<string> {
  const { namespace, name } = account;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { status } = await kube.create<{ status: { token: string } }>(path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds },
  });
  const file = kubeconfigFileOf(account);
  const admin = parse(readFileSync(testStack().layout.kubeconfig, 'utf8'));
  const users = admin.users.map(({ name: user }: { name: string }) => ({
    name: user,
    user: { token: status.token },
  }));
  writeFileSync(file, stringify({ ...admin, users }));
  return file;
}
