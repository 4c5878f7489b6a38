import type { KubeClient } from '../activities/kube/client/client.ts';
import { loadKubeConfig } from '../activities/kube/client/kubeconfig.ts';
import { createKubeClient } from '../activities/kube/client/http-client.ts';
import { version } from '../workers/config/version.ts';
import type { ClusterOptions } from './options.ts';

/** Where a command acts. */
export interface Place {
  kube: KubeClient;
  namespace: string;
}

/** Throws when the kubeconfig cannot be read; connects to nothing yet. */
function connect({ kubeconfig = '', context, namespace }: ClusterOptions): Place {
  const kubeConfig = loadKubeConfig(kubeconfig, process.env, context);
  return {
    kube: createKubeClient({ kubeConfig, userAgent: `millwright-cli/${version}` }),
    namespace: namespace ?? kubeConfig.namespace ?? 'default',
  };
}

/** Closes the connection at the end. */
export async function inCluster<Answer>(
  options: ClusterOptions,
  act: (place: Place) => Promise<Answer>,
): Promise<Answer> {
  const place = connect(options);
  try {
    return await act(place);
  } finally {
    await place.kube.close();
  }
}
