/** Reads and writes Nodes as kubelets and the node lifecycle controller do. */
import type { Cluster } from '../world/kube-client.ts';
import { pathOfNode } from './node.ts';
import type { Condition, NodeObject } from './node.ts';

export function readNode({ server }: Cluster, name: string): NodeObject | undefined {
  const path = pathOfNode(name);
  return server.has(path) ? { ...server.get(path) } : undefined;
}

export function namesOfNodes({ server }: Cluster): string[] {
  const { items = [] }: { items?: NodeObject[] } = server.get('/api/v1/nodes');
  return items.map(({ metadata }) => metadata?.name ?? '');
}

export interface StatusChange {
  name: string;
  condition: Condition;
  /** Milliseconds since 1970. */
  now: number;
  /** What else is to stand in the status; it is written in any case. */
  facts?: object | undefined;
}

/** Without a change nothing is written. Returns whether something was. */
export function writeStatus(cluster: Cluster, change: StatusChange): boolean {
  const { name, condition, now, facts } = change;
  const conditions = readNode(cluster, name)?.status?.conditions ?? [];
  const present = conditions.find(({ type }) => type === condition.type);
  const isSame = present?.status === condition.status;
  if (isSame && present.message === condition.message && !facts) return false;
  const lastHeartbeatTime = new Date(now).toISOString();
  const lastTransitionTime = (isSame && present.lastTransitionTime) || lastHeartbeatTime;
  const next = { ...condition, lastHeartbeatTime, lastTransitionTime };
  const body = { status: { ...facts, conditions: [next] } };
  cluster.server.patch(`${pathOfNode(name)}/status`, { type: 'strategic', body });
  return true;
}
