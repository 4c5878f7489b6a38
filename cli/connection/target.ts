/** The cluster whose Nodes the machines are. */
import type { Command } from 'commander';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ClusterScope } from './cluster.ts';
import { answering, inUntriedCluster } from './cluster.ts';

export interface TargetOptions {
  /** Undefined: Nodes are in the control cluster. */
  targetKubeconfig?: string | undefined;
}

export function withTarget(command: Command): Command {
  return command.option(
    '--target-kubeconfig <file>',
    'of the cluster with the Nodes (default: the control cluster)',
  );
}

/** Closes the connection at the end. */
export async function inTarget<Answer>(
  { kube }: ClusterScope,
  { targetKubeconfig }: TargetOptions,
  act: (target: KubeClient) => Promise<Answer>,
): Promise<Answer> {
  if (targetKubeconfig === undefined) return await act(kube);
  const cluster = { kubeconfig: targetKubeconfig };
  return await inUntriedCluster(cluster, async ({ kube: target }, kubeConfig) => {
    const server = `${kubeConfig.cluster.server} of the Nodes (${targetKubeconfig})`;
    const silent = { kubeConfig, server, flags: '--target-kubeconfig names' };
    return await answering(target, silent, () => act(target));
  });
}
