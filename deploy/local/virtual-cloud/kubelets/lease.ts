/** The heartbeat of a kubelet. */

/** Well within `--node-monitor-grace-period` of the stack, half as often as a Node needs it. */
export const renewalMilliseconds = 60_000;
const leaseDurationSeconds = 120;

export const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
export const leasePath = (name: string): string => `${leasesPath}/${encodeURIComponent(name)}`;

/** Renewed now. It goes with its Node. */
export function leaseOf(name: string, uid: string): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds,
      // Times in a Lease have microseconds.
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  };
}
