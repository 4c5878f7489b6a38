/** Objects of `cluster.k8s.io` in a namespace, and how they belong together. */
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { kubermatic } from '../../../kube/client/paths.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
} from '../../../workflows/api/kubermatic.ts';
import { controllerUidOf } from '../../../workflows/plan/front/facts.ts';

export interface TheirObjects {
  deployments: readonly KubermaticMachineDeployment[];
  sets: readonly KubermaticMachineSet[];
  machines: readonly KubermaticMachine[];
}

export const noObjects: TheirObjects = { deployments: [], sets: [], machines: [] };

export async function readTheirs(kube: KubeClient, namespace: string): Promise<TheirObjects> {
  const [deployments, sets, machines] = await Promise.all([
    kube.list<KubermaticMachineDeployment>(kubermatic('machinedeployments', namespace)),
    kube.list<KubermaticMachineSet>(kubermatic('machinesets', namespace)),
    kube.list<KubermaticMachine>(kubermatic('machines', namespace)),
  ]);
  return { deployments: deployments.items, sets: sets.items, machines: machines.items };
}

/** By the controller among the owners. */
export function ownedBy<T extends KubeObject>(owner: KubeObject, objects: readonly T[]): T[] {
  return objects.filter((one) => controllerUidOf(one) === owner.metadata.uid);
}

export const nameOf = ({ metadata }: KubeObject): string => metadata.name;
