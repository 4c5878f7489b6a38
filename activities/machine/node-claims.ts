/** Whose a Node is, when more than one Machine or instance may have it. */
import type { LifeRef } from '../../workflows/activities.ts';
import { labels } from '../../workflows/api/constants.ts';
import type { Instance } from '../../workflows/plan/machine.ts';
import { isSameInstance } from '../../workflows/plan/provider-id.ts';
import type { KubeClient } from '../kube/client.ts';
import { recordEvent } from '../kube/events.ts';
import type { World } from '../world.ts';
import type { Node } from './node.ts';
import { readNode } from './node.ts';
import { component, machineSubject, patchMachine, readMachine, timestamp } from './object.ts';

/** Name of another Machine that the Node names and that names the Node. */
export async function rivalOf(
  control: KubeClient,
  { metadata }: Node,
  machine: LifeRef,
): Promise<string | undefined> {
  const name = metadata.labels?.[labels.machineName] ?? '';
  if (name === '' || name === machine.name) return undefined;
  const other = await readMachine(control, { namespace: machine.namespace, name });
  return other?.metadata.labels?.[labels.node] === metadata.name ? name : undefined;
}

/** Returns what was said. */
export async function reportRival(
  control: KubeClient,
  machine: LifeRef,
  { nodeName, rival }: { nodeName: string; rival: string },
): Promise<string> {
  const description = `Node ${nodeName} is that of Machine ${rival}, so Machine ${machine.name} cannot join by it: delete one of the two`;
  const lastUpdateTime = timestamp();
  await patchMachine(control, machine, {
    status: { lastOperation: { description, state: 'Failed', type: 'Create', lastUpdateTime } },
  });
  await recordEvent(control, machineSubject(machine), {
    type: 'Warning',
    reason: 'NodeClaimed',
    message: description,
    component,
  });
  return description;
}

/** A Node of the same name is left of an earlier instance: the kubelet of the new one would take it over. */
export async function findStaleNode(
  { target }: World,
  { instance }: { instance: Instance },
): Promise<{ isStale: boolean }> {
  const node = target && (await readNode(target, instance.nodeName));
  return { isStale: !!node && !isSameInstance(node.spec?.providerID, instance.providerID) };
}
