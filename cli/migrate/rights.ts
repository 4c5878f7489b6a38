/** Checks that the person may do what the commands do: asks the API server, tries nothing. */
import type { KubeClient } from '../../kube/client/client.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import type { Right } from '../objects/rights.ts';
import { formatRight, isAllowed, rightOnMachines } from '../objects/rights.ts';

const allKinds: readonly MachineKind[] = [
  'machines',
  'machinesets',
  'machinedeployments',
  'machineclasses',
];

/** Such as `patch deployments.apps in machines`. `kinds`: those that are listed. */
export async function missingRights(
  kube: KubeClient,
  { namespace, release }: { namespace: string; release: string },
  kinds = allKinds,
): Promise<string[]> {
  const ofKinds = kinds.map((resource) => rightOnMachines('list', resource, namespace));
  const rights = [...neededRights(namespace, release), ...ofKinds];
  const answers = await Promise.all(rights.map((right) => isAllowed(kube, right)));
  return rights.filter((_right, index) => !answers[index]).map(formatRight);
}

function neededRights(namespace: string, release: string): Right[] {
  const places = [...new Set([namespace, release])];
  const ofDeployments = places.flatMap((place) =>
    ['get', 'list', 'patch'].map((verb) => ({
      group: 'apps',
      resource: 'deployments',
      verb,
      namespace: place,
    })),
  );
  return [
    ...ofDeployments,
    ...places.map((place) => ({ group: '', resource: 'pods', verb: 'list', namespace: place })),
    ...['get', 'patch'].map((verb) => ({
      group: 'coordination.k8s.io',
      resource: 'leases',
      verb,
      namespace,
    })),
    rightOnMachines('patch', 'machinedeployments/status', namespace),
  ];
}
