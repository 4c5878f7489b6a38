/** A Node of the target cluster. */
import type { Taint } from '../../workflows/api/machine.ts';
import type { NodeCondition, ObjectMeta } from '../../workflows/api/meta.ts';
import type { KubeClient } from '../client/client.ts';
import { ignoreNotFound } from '../client/ignore.ts';
import { node as nodePath } from '../client/paths.ts';

export interface Node {
  metadata: ObjectMeta;
  spec?: { providerID?: string; unschedulable?: boolean; taints?: Taint[] };
  status?: { conditions?: NodeCondition[]; capacity?: Record<string, string> };
}

/** Undefined when there is none. */
export async function readNode(target: KubeClient, name: string): Promise<Node | undefined> {
  return await ignoreNotFound(target.get<Node>(nodePath(name)));
}

export function isReady(node: Node): boolean {
  return readinessOf(node) === 'True';
}

/** Nothing was heard of its kubelet for so long that the node controller says Unknown. */
export function isSilent(node: Node): boolean {
  return readinessOf(node) === 'Unknown';
}

function readinessOf({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
