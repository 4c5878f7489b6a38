/** Which volumes a pod holds. */
import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { Pod } from './pods.ts';
import { stayingPods } from './pods.ts';
import { width } from './removal.ts';

interface VolumeClaim {
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
      return volumeOf(await ignoreNotFound(target.get<VolumeClaim>(path)));
    }),
  );
  return names.filter((name) => name !== undefined);
}

/** Names of the PersistentVolumes of pods that a drain leaves on the Node. */
export async function volumesThatStay(
  target: KubeClient,
  nodeName: string,
  late: DrainPod[],
): Promise<Set<string>> {
  const volumes = new Set<string>();
  const claims = (await stayingPods(target, nodeName, late)).flatMap(claimPathsOf);
  await inParallel(claims, width, async (path) => {
    const claim = await ignoreNotFound(target.get<VolumeClaim>(path));
    volumes.add(claim?.spec?.volumeName ?? '');
  });
  return volumes;
}

/** Those made for the pod alone are named after it and the volume. */
function claimPathsOf({ metadata: { namespace = '', name }, spec = {} }: Pod): string[] {
  const { volumes = [] } = spec;
  return volumes.flatMap(({ name: volume, persistentVolumeClaim, ephemeral }) => {
    const claim = ephemeral ? `${name}-${volume}` : persistentVolumeClaim?.claimName;
    return claim === undefined ? [] : [namespaced('persistentvolumeclaims', namespace, claim)];
  });
}

function volumeOf(claim: VolumeClaim | undefined): string | undefined {
  const { volumeName, accessModes = [] } = claim?.spec ?? {};
  const isMultiAttach = accessModes.some((mode) => mode.endsWith('Many'));
  return isMultiAttach || volumeName === '' ? undefined : volumeName;
}
