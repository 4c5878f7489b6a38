/** Checks that the person may do what the commands do: asks the API server, tries nothing. */
import type { KubeClient } from '../../kube/client/client.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { group } from '../../workflows/api/constants.ts';
import { formatRight, isAllowed, type Right } from '../objects/rights.ts';

/** Verbs and resources with spaces between them. */
export type RightsRow = readonly [
  verbs: string,
  group: string,
  resources: string,
  namespace: string,
];

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
  return await missingOf(kube, [
    ...[...new Set([namespace, release])].flatMap((place): RightsRow[] => [
      ['get list patch', 'apps', 'deployments', place],
      ['list', '', 'pods', place],
    ]),
    ['get patch', 'coordination.k8s.io', 'leases', namespace],
    ['patch', group, 'machinedeployments/status', namespace],
    ['list', group, kinds.join(' '), namespace],
  ]);
}

export async function missingOf(kube: KubeClient, rows: readonly RightsRow[]): Promise<string[]> {
  const rights = rows.flatMap(rightsOf);
  const answers = await Promise.all(rights.map((right) => isAllowed(kube, right)));
  return [...new Set(rights.filter((_right, index) => !answers[index]).map(formatRight))];
}

function rightsOf([verbs, of, resources, namespace]: RightsRow): Right[] {
  return verbs
    .split(' ')
    .flatMap((verb) =>
      resources.split(' ').map((resource) => ({ verb, group: of, resource, namespace })),
    );
}
