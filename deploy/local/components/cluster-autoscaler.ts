import { host } from '../supervision/ports.ts';
import { answersOk, type Command, type Component } from './component.ts';
import type { StackWorld } from './world.ts';

/** For a person who watches: production has minutes where these are seconds. */
const impatient = [
  '--scan-interval=5s',
  '--scale-down-unneeded-time=30s',
  '--scale-down-delay-after-add=30s',
  '--unremovable-node-recheck-timeout=10s',
] as const;

export interface Autoscaler {
  file: string;
  kubeconfig: string;
  /** Its pools are the MachineDeployments there that have the annotations of a pool. */
  namespace: string;
  port: number;
  /** API group of its pools. Default ours. */
  group?: string;
  flags: readonly string[];
}

/** The cluster autoscaler of the Kubernetes project. It takes our API for the Cluster API. */
export function autoscalerCommand(autoscaler: Autoscaler): Command {
  const { file, kubeconfig, namespace, port, flags, group = 'machine.sapcloud.io' } = autoscaler;
  return {
    file,
    args: [
      '--cloud-provider=clusterapi',
      `--node-group-auto-discovery=clusterapi:namespace=${namespace}`,
      // Nodes and pods, then machines: here they are in one cluster.
      `--kubeconfig=${kubeconfig}`,
      `--cloud-config=${kubeconfig}`,
      `--address=${host}:${port}`,
      // There is only one, and a lease would make a restarted one wait.
      '--leader-elect=false',
      ...flags,
    ],
    env: { CAPI_GROUP: group, CAPI_VERSION: 'v1alpha1' },
  };
}

export function clusterAutoscaler({ binary, layout, options, ports }: StackWorld): Component {
  const port = ports.clusterAutoscaler;
  const address = `http://${host}:${port}`;
  return {
    name: 'cluster-autoscaler',
    needs: ['cluster', 'kube-scheduler'],
    address,
    ports: [port],
    command: async () =>
      autoscalerCommand({
        file: binary('cluster-autoscaler'),
        kubeconfig: layout.kubeconfigOf('cluster-autoscaler'),
        namespace: options.namespace,
        port,
        flags: impatient,
      }),
    isReady: () => answersOk(`${address}/health-check`),
  };
}
