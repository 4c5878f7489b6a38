/** Which volumes a pod holds. */
import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { ignoreNotFound } from '../kube/client/ignore.ts';
import { namespaced } from '../kube/client/paths.ts';

interface Claim {
  spec?: { volumeName?: string; accessModes?: string[] };
}

/** PersistentVolumes that this pod alone uses: one that others use too stays where they are. */
export async function volumesOf(
  target: KubeClient,
  pod: DrainPod,
  pods: DrainPod[],
): Promise<string[]> {
  const others = pods.filter(
    ({ uid, namespace }) => uid !== pod.uid && namespace === pod.namespace,
  );
  const shared = new Set(others.flatMap(({ claims }) => claims));
  const own = pod.claims.filter((claim) => !shared.has(claim));
  const names = await Promise.all(
    own.map(async (claim) => {
      const path = namespaced('persistentvolumeclaims', pod.namespace, claim);
      return volumeOf(await ignoreNotFound(target.get<Claim>(path)));
    }),
  );
  return names.filter((name) => name !== undefined);
}

function volumeOf(claim: Claim | undefined): string | undefined {
  const { volumeName, accessModes = [] } = claim?.spec ?? {};
  const isMultiAttach = accessModes.some((mode) => mode.endsWith('Many'));
  return isMultiAttach || volumeName === '' ? undefined : volumeName;
}
