/** Checks that the person may do what the commands do: asks the API server, tries nothing. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { group } from '../../../workflows/api/constants.ts';
import { kubermaticGroup } from '../../../workflows/api/kubermatic-names.ts';
import type { NamespacedName } from '../../../workflows/contracts/references.ts';
import { missingOf, type RightsRow } from '../rights.ts';

interface Places {
  namespace: string;
  release: string;
  controllerName: NamespacedName;
}

/** Such as `patch deployments.apps in kube-system`. */
export async function missingRights(kube: KubeClient, places: Places): Promise<string[]> {
  return await missingOf(kube, rowsOf(places));
}

function rowsOf({
  namespace,
  release,
  controllerName: { namespace: system },
}: Places): RightsRow[] {
  const configurations = 'mutatingwebhookconfigurations validatingwebhookconfigurations';
  return [
    ['list', kubermaticGroup, 'machines machinesets', namespace],
    ['list patch', kubermaticGroup, 'machinedeployments', namespace],
    ['list', kubermaticGroup, 'machinedeployments', ''],
    ['list', group, 'machines machinesets machinedeployments', namespace],
    ['get', '', 'secrets configmaps', namespace],
    ['list', '', 'nodes', ''],
    ['get patch list', 'apps', 'deployments', system],
    ['list', '', 'pods', system],
    ['get', 'coordination.k8s.io', 'leases', system],
    ['get', 'coordination.k8s.io', 'leases', namespace],
    ['list', 'apps', 'deployments', release],
    ['get list patch', 'admissionregistration.k8s.io', configurations, ''],
  ];
}
