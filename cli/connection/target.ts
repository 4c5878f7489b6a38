/** The cluster whose Nodes the machines are. */
import type { Command } from 'commander';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ClusterScope } from './cluster.ts';
import { answering, clientFor } from './cluster.ts';

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
  const kubeConfig = loadKubeConfig(targetKubeconfig);
  const target = clientFor(kubeConfig);
  try {
    const server = `${kubeConfig.cluster.server} of the Nodes (${targetKubeconfig})`;
    const silent = { kubeConfig, server, flags: '--target-kubeconfig names' };
    return await answering(target, silent, () => act(target));
  } finally {
    await target.close();
  }
}
