/** The condition by which a Node says where its update in place is. */
import { inPlaceUpdate } from '../../../workflows/api/in-place.ts';
import type { InPlacePlan } from '../../../workflows/plan/machine/in-place.ts';
import { defined } from '../../../workflows/values/defined.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { timestamp } from '../../../kube/objects/time.ts';
import { uncordonNode } from '../node/cordon.ts';

type PlanOf<Action> = Extract<InPlacePlan, { action: Action }>;

/**
 * Clocks count from its time, so that is new also where the status stays. Returns the Node as it is
 * then.
 */
export async function setCondition(
  target: KubeClient,
  node: Node,
  { reason, message, uncordons }: Omit<PlanOf<'setCondition'>, 'action'>,
): Promise<Node> {
  // Else nothing would say any more that it is to be uncordoned.
  if (uncordons) await uncordonNode(target, node);
  const now = timestamp();
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return await write(target, node, { status: 'True', reason, message, ...times });
}

export async function removeCondition(
  target: KubeClient,
  node: Node,
  { uncordons }: Pick<PlanOf<'removeCondition'>, 'uncordons'>,
): Promise<Node> {
  if (uncordons) await uncordonNode(target, node);
  return await write(target, node, { $patch: 'delete' });
}

/** The API server takes the UID in a strategic patch as a precondition. */
async function write(target: KubeClient, { metadata }: Node, condition: object): Promise<Node> {
  const { name, uid } = metadata;
  const conditions = [{ type: inPlaceUpdate, ...defined(condition) }];
  const patch = { metadata: { uid }, status: { conditions } };
  return await target.patch<Node>(`${nodePath(name)}/status`, 'strategic', patch);
}
