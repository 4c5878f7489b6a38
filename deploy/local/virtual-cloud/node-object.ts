/** The Node of a virtual machine, and the annotations that control its kubelet. */
import type { Instance } from './instance.ts';
import { sizes } from './sizes.ts';

/** The virtual cloud plays the kubelet of a Node that has this. */
export const fakeKubelet = { 'virtual-cloud.millwright.dev/fake-kubelet': 'true' };
/** Its kubelet runs and says that it is not ready. */
export const notReady = { 'virtual-cloud.millwright.dev/not-ready': 'true' };
/** It has none any more: the machine is gone or switched off. Pods hang, as on a dead machine. */
export const stopped = { 'virtual-cloud.millwright.dev/stopped': 'true' };

export function nodeOf(instance: Instance): object {
  const { name, providerID, size, zone, labels, annotations, taints, fate, address } = instance;
  const capacity = sizes[size];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        // Kubelets still set these, and the node controller adds them where they are missing, at
        // two requests a Node.
        'beta.kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': size,
        'topology.kubernetes.io/region': 'local',
        'topology.kubernetes.io/zone': zone,
        ...labels,
      },
      annotations: { ...annotations, ...fakeKubelet, ...(fate.joinsNotReady && notReady) },
    },
    spec: { providerID, ...(taints.length > 0 && { taints }) },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
    },
  };
}
