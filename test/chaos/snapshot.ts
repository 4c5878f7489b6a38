/** What stands on all sides at one time, more or less: looked at until nothing moves any more. */
import type { KubeObject } from '../../kube/client/client.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { NodeObject } from '../e2e/support/cluster.ts';
import type { CloudCalls, CloudInstance } from '../e2e/support/virtual-cloud.ts';
import { ofObjects } from '../e2e/support/workflow-records.ts';
import type { World } from './world.ts';

export interface Snapshot {
  /** VMs that live, as the virtual cloud has them. */
  instances: CloudInstance[];
  calls: CloudCalls;
  machines: Machine[];
  sets: MachineSet[];
  deployments: MachineDeployment[];
  classes: KubeObject[];
  secrets: KubeObject[];
  nodes: NodeObject[];
  /** Ids of workflows of objects that are open. */
  running: string[];
  /**
   * `id: status` of those that ended otherwise than by completing, without those that the SDK
   * broke.
   */
  endedBadly: string[];
}

export async function takeSnapshot({ cluster, cloud, workflows }: World): Promise<Snapshot> {
  const { namespace } = cluster;
  return {
    instances: await cloud.instances(),
    calls: await cloud.calls(),
    machines: await cluster.machines(),
    sets: await cluster.sets(),
    deployments: await cluster.deployments(),
    classes: await cluster.list<KubeObject>(cluster.pathOf('machineclasses')),
    secrets: await cluster.list<KubeObject>(namespaced('secrets', namespace)),
    nodes: await cluster.nodes(),
    running: await workflows.running(ofObjects),
    endedBadly: (await workflows.endedBadly()).endings,
  };
}
