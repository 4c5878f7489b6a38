/** The host cluster that a class's Secret names. Decides only; nothing is called. */
import { createCredentials, type Credential } from '../../../kube/client/credentials.ts';
import { kubeConfigOfSecret, type KubeConfig } from '../../../kube/client/kubeconfig.ts';
import { fault } from '../frame/fault.ts';
import type { Environment } from '../settings.ts';

export interface Host extends Credential {
  server: string;
  proxyUrl: string | undefined;
  namespace: string;
}

/** What a kubeconfig holds itself: no command is run and no file read for it. */
export async function hostOf(
  { kubeconfig = '' }: Readonly<Record<string, string>>,
  env: Environment,
): Promise<Host> {
  const { cluster, user, namespace = 'default', source } = parsed(kubeconfig, env);
  const { headers, tls } = await createCredentials({
    cluster,
    user,
    namespace,
    source,
  }).current();
  return { server: cluster.server, proxyUrl: cluster.proxyUrl, namespace, headers, tls };
}

const source = 'Secret of the MachineClass: kubeconfig';

function parsed(text: string, env: Environment): KubeConfig {
  if (text.trim() === '') throw fault('unauthenticated', `${source} is missing`);
  try {
    const config = kubeConfigOfSecret({ text, source }, env);
    requireName(config.namespace);
    return config;
  } catch (error) {
    // The cause may quote the text, which is secret.
    throw fault('unauthenticated', error instanceof Error ? error.message : `${source} is wrong`);
  }
}

/** It becomes a part of URLs. */
function requireName(namespace = 'default'): void {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace)) return;
  throw new Error(`${source}: the namespace of its context is not the name of a namespace`);
}
