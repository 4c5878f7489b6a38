/** PUT, which client-go calls Update; our own client has none. */
import { Agent, request } from 'undici';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import { errorOfAnswer } from '../../../kube/client/errors.ts';
import type { KubeObject } from '../../../kube/client/client.ts';

export type Put = (path: string, object: KubeObject) => Promise<void>;

/** Throws a KubeError for a refusal, as for a conflict. */
export function putOf(kubeconfig: string): Put {
  const { cluster, user } = loadKubeConfig(kubeconfig);
  const ca = Buffer.from(cluster.caData ?? '', 'base64').toString();
  const dispatcher = new Agent({ connect: { ca } });
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
  return async (path, object) => {
    const { statusCode, body } = await request(`${cluster.server}${path}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(object),
      dispatcher,
    });
    const text = await body.text();
    if (statusCode < 300) return;
    throw errorOfAnswer({ method: 'PUT', path, code: statusCode, text, retryAfter: undefined });
  };
}
