/** Of which Nodes the kubelet runs. */
import type { SimulatedCloud } from '../cloud/cloud.ts';
import type { InstanceRecord } from '../cloud/records.ts';
import type { Cluster } from '../world/kube-client.ts';
import { node as nodePath } from '../../../activities/kube/client/paths.ts';
import { conditionOf } from './objects.ts';
import type { NodeObject } from './objects.ts';
import { readObject } from './writes.ts';

export interface LivingNodesOptions {
  cloud: SimulatedCloud;
  cluster: Cluster;
  targetOf(record: InstanceRecord): Cluster | undefined;
}

/** A kubelet whose Node is Unknown is silent: it does nothing for its pods either. */
export function livingNodes({
  cloud,
  cluster,
  targetOf,
}: LivingNodesOptions): (name: string) => boolean {
  const living = new Map<string, Set<InstanceRecord>>();
  cloud.listen(({ kind, record }) => {
    if (targetOf(record) !== cluster) return;
    const records = living.get(record.name) ?? new Set();
    if (kind === 'created') living.set(record.name, records.add(record));
    else {
      records.delete(record);
      if (records.size === 0) living.delete(record.name);
    }
  });
  return (name) => {
    if (![...(living.get(name) ?? [])].some(({ nodeUid }) => nodeUid !== undefined)) {
      return false;
    }
    const node: NodeObject | undefined = readObject(cluster.server, nodePath(name));
    return !node || conditionOf(node, 'Ready') !== 'Unknown';
  };
}
