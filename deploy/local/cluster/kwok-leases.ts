import type { AdminApi } from './api.ts';

const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const callsAtOnce = 20;

interface Lease {
  metadata: { name: string };
  spec?: { holderIdentity?: string };
}

/**
 * Frees the node leases of a kwok that is gone. kwok signs them with a name that is new at every
 * start (host name, underscore, UUID) and does not touch a node whose lease another holds, so
 * without this a restarted kwok would leave all nodes alone until their leases ran out. Holders of
 * another form are left alone: the virtual cloud holds the leases of machines that are switched
 * off.
 */
export async function freeLeasesOfKwok(api: AdminApi): Promise<void> {
  const { status, body } = await api.call('GET', leasesPath);
  if (status !== 200) throw new Error(`Cannot list node leases: status ${status}: ${body}`);
  const list: { items: Lease[] } = JSON.parse(body);
  const held = list.items.filter(isHeldByKwok);
  while (held.length > 0) {
    await Promise.all(held.splice(0, callsAtOnce).map((lease) => free(api, lease.metadata.name)));
  }
}

export function isHeldByKwok({ spec }: Lease): boolean {
  return /_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(spec?.holderIdentity ?? '');
}

async function free(api: AdminApi, name: string): Promise<void> {
  const { status, body } = await api.call('PATCH', `${leasesPath}/${name}`, {
    spec: { holderIdentity: null },
  });
  // The node and its lease may be deleted in between.
  if (status !== 200 && status !== 404) {
    throw new Error(`Cannot free the lease of node ${name}: status ${status}: ${body}`);
  }
}
