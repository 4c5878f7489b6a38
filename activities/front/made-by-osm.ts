/** Asks if operating-system-manager makes the user data of a MachineDeployment of theirs. */
import { cloudInitSettings } from '../../workflows/api/user-data.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isForbidden } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { isServed } from '../../kube/client/served.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';

export const osmProfiles = {
  api: '/apis/operatingsystemmanager.k8c.io/v1alpha1',
  plural: 'operatingsystemprofiles',
};

/** Its webhook writes it on each deployment, and without it none is served. */
const profile = 'k8c.io/operating-system-profile';

/**
 * It serves the deployment, or its Secret is there, which others may fill too. While it makes the
 * Secret anew there is none, so the API is asked first.
 */
export async function isMadeByOsm(
  client: KubeClient,
  { namespace = '', name, annotations }: Pick<ObjectMeta, 'namespace' | 'name' | 'annotations'>,
): Promise<boolean> {
  const isAsked = (annotations?.[profile] ?? '') !== '';
  if (isAsked && (await isServed(client, osmProfiles))) return true;
  const secret = `${name}-${namespace}-bootstrap-config`;
  const path = namespaced('secrets', cloudInitSettings, secret);
  try {
    return (await ignoreNotFound(client.get(path))) !== undefined;
  } catch (error) {
    // A front that may not read it could not use it either.
    if (isForbidden(error)) return false;
    throw error;
  }
}
