/** What a gate reads, and the counts that it goes by. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { SharedLists } from '../../kube/cache/shared-lists.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import type { NamespaceObjects } from './going.ts';

export type GateDependencies = Pick<
  ActivityDependencies,
  'control' | 'policies' | 'machines' | 'machineSets' | 'disrupted'
>;

const deployments = new SharedLists<MachineDeployment>();

/** Each list is not older than the call. */
export async function readObjects(
  { control, machines, machineSets }: GateDependencies,
  namespace: string,
): Promise<NamespaceObjects> {
  const [listed, sets, all] = await Promise.all([
    deployments.list(control, customResource('machinedeployments', namespace)),
    machineSets.list(namespace),
    machines.select(namespace),
  ]);
  return { deployments: listed.items, sets, machines: all };
}
