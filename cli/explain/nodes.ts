/** The Node of a machine, in its own cluster where that is another one. */
import { isForbidden } from '../../kube/client/errors.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { readNode } from '../../kube/objects/nodes.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { isWithoutTarget, nodeNameOf } from '../diagnosis/machine-health.ts';
import { inTarget } from '../connection/target.ts';
import type { TargetOptions } from '../connection/target.ts';
import type { Subject } from './subject.ts';

export interface SeenNode {
  /** Undefined where there is none, or it was not read. */
  node: Node | undefined;
  /** Unread: it is not known either if there is none. */
  isUnread?: boolean;
  /** Why nothing is known. */
  notes: string[];
}

/** A Node that cannot be read is no error: less is said. */
export async function seenNode(
  scope: ClusterScope,
  options: TargetOptions,
  subject: Subject,
): Promise<SeenNode> {
  const name = nameOf(subject);
  if (name === undefined) return { node: undefined, notes: [] };
  try {
    const node = await inTarget(scope, options, (target) => readNode(target, name));
    return node ? { node, notes: [] } : { node, notes: [notThere(name, options)] };
  } catch (error) {
    const message = isForbidden(error) ? 'it may not be read' : reasonOf(error);
    const notes = [`Nothing is known of Node ${name}: ${message}`];
    return { node: undefined, isUnread: true, notes };
  }
}

function nameOf(subject: Subject): string | undefined {
  if (subject.kind === 'node') return subject.object.name;
  if (subject.kind !== 'machine') return undefined;
  const { machine } = subject;
  const isMade = machine.spec.providerID !== undefined;
  return isMade && !isWithoutTarget(machine) ? nodeNameOf(machine) : undefined;
}

function notThere(name: string, { targetKubeconfig }: TargetOptions): string {
  return targetKubeconfig === undefined
    ? `This cluster has no Node ${name}. If the Nodes are in another one: --target-kubeconfig FILE`
    : `There is no Node ${name}.`;
}
