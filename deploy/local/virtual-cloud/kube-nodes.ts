/** Registers the machines' Nodes in a cluster. `kubelets/` plays their kubelets. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { isAlreadyExists, isConflict, isNotFound, KubeError } from '../../../kube/client/errors.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import type { Instance, NodeConditionFault } from './instance.ts';
import { backOff, persistently } from './kube-client.ts';
import type { Disks } from './machine/disks.ts';
import { nodeOf, notReady, stopped } from './node-object.ts';
import type { NodeRegistry, RegistrationWatch } from './nodes.ts';

/** `disks`: of machines that join by their user data. */
export function createKubeNodes(client: KubeClient, disks?: Disks): NodeRegistry {
  return {
    async register(instance, watch) {
      if (!disks || !instance.hasUserData) return await register(client, instance, watch);
      // Only where it is needed: it loads what makes certificate requests.
      const { joinByUserData } = await import('./machine/join.ts');
      return await joinByUserData(disks, instance, watch);
    },
    async sicken(instance, condition, signal) {
      await patchStatus(client, { instance, signal, ...sicknessOf(condition) });
    },
    stop: (instance, signal) => stop(client, instance, signal),
    close: () => client.close(),
  };
}

async function register(
  client: KubeClient,
  instance: Instance,
  { signal, onRefused }: RegistrationWatch,
): Promise<string> {
  const create = () => client.create<Node>(nodePath(), nodeOf(instance));
  let refused = '';
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await persistently(create, signal)).metadata.uid;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      // A POST whose answer was lost, by this process or the one before it.
      const own = isAlreadyExists(error) ? await findNode(client, instance, signal) : undefined;
      if (own !== undefined) return own.metadata.uid;
      if (error.message !== refused) onRefused(error.message);
      refused = error.message;
    }
    await backOff(attempt, signal);
  }
}

/** This machine's Node; undefined when there is none or another machine has the name. */
async function findNode(
  client: KubeClient,
  { name, providerID }: Instance,
  signal: AbortSignal,
): Promise<Node | undefined> {
  const read = () => ignoreNotFound(client.get<Node>(nodePath(name)));
  const node = await persistently(read, signal);
  return node?.spec?.providerID === providerID ? node : undefined;
}

interface StatusPatch {
  instance: Instance;
  annotations: Record<string, string>;
  conditions: object[];
  signal: AbortSignal;
}

/**
 * The UID makes it hold for this machine's Node only; conditions of others stay, as they are merged
 * by type.
 */
async function patchStatus(client: KubeClient, patch: StatusPatch): Promise<void> {
  const { instance, annotations, conditions, signal } = patch;
  const body = { metadata: { uid: instance.nodeUid, annotations }, status: { conditions } };
  const path = `${nodePath(instance.name)}/status`;
  try {
    await persistently(() => client.patch(path, 'strategic', body), signal);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function sicknessOf(
  condition: NodeConditionFault,
): Pick<StatusPatch, 'annotations' | 'conditions'> {
  const now = new Date().toISOString();
  return {
    annotations: condition.type === 'Ready' ? notReady : {},
    conditions: [{ ...condition, lastHeartbeatTime: now, lastTransitionTime: now }],
  };
}

/** Writes as the node controller of a kubelet that it has not heard from, without the wait. */
async function stop(client: KubeClient, instance: Instance, signal: AbortSignal): Promise<void> {
  // Deleted while it booted: the Node may be there all the same.
  const nodeUid = instance.nodeUid ?? (await findNode(client, instance, signal))?.metadata.uid;
  if (nodeUid === undefined) return;
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: new Date().toISOString(),
  };
  await patchStatus(client, {
    instance: { ...instance, nodeUid },
    annotations: stopped,
    conditions: [condition],
    signal,
  });
}
