/** The host cluster that a class's Secret names. No command is run and no file read for it. */
import { createCredentials, type Credential } from '../../../kube/client/credentials.ts';
import { kubeConfigOfSecret } from '../../../kube/client/kubeconfig.ts';
import { fault } from '../frame/fault.ts';
import type { Environment } from '../settings.ts';

export interface Host extends Credential {
  server: string;
  /** That of the kubeconfig, else of the process, by the rules of kubectl. */
  proxy: string | undefined;
  namespace: string;
}

const source = 'Secret of the MachineClass: kubeconfig';

export async function hostOf(
  { kubeconfig = '' }: Readonly<Record<string, string>>,
  env: Environment,
): Promise<Host> {
  if (kubeconfig.trim() === '') throw fault('unauthenticated', `${source} is missing`);
  try {
    const config = kubeConfigOfSecret({ text: kubeconfig, source }, env);
    const { namespace = 'default' } = config;
    // It becomes a part of URLs.
    const isName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace);
    if (!isName) throw new Error(`${source}: the namespace of its context cannot be one`);
    const { server, proxyUrl: proxy } = config.cluster;
    return { server, proxy, namespace, ...(await createCredentials(config).current()) };
  } catch (error) {
    // The cause may quote the text, which is secret.
    throw fault('unauthenticated', error instanceof Error ? error.message : `${source} is wrong`);
  }
}
