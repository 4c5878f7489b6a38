import type { KubeClient } from '../activities/kube/client/client.ts';
import { loadKubeConfig } from '../activities/kube/client/kubeconfig.ts';
import { createKubeClient } from '../activities/kube/client/http-client.ts';
import { version } from '../workers/config/version.ts';
import type { Common } from './options.ts';

/** Where a command acts. */
export interface Place {
  kube: KubeClient;
  namespace: string;
}

/** Throws when the kubeconfig cannot be read; connects to nothing yet. */
export function connect({ kubeconfig, namespace }: Common): Place {
  const kubeConfig = loadKubeConfig(kubeconfig);
  return {
    kube: createKubeClient({ kubeConfig, userAgent: `millwright-cli/${version}` }),
    namespace: namespace ?? kubeConfig.namespace ?? 'default',
  };
}
