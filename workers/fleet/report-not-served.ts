import type { KubeClient } from '../../kube/client/client.ts';
import { ownLeaseOf } from '../../kube/leases/lease-set.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import type { Config } from '../config/config.ts';

/** Its users see no log of the fleet: an Event in the namespace says why nothing happens there. */
export function reportNotServed(
  control: KubeClient,
  { leaderElection }: Pick<Config, 'leaderElection'>,
  { namespace, reason }: { namespace: string; reason: string | undefined },
): void {
  if (reason === undefined) return;
  const lease = ownLeaseOf(namespace, leaderElection);
  const subject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease, namespace };
  recordEvent(
    control,
    { ...subject, uid: '' },
    {
      type: 'Warning',
      reason: 'NamespaceNotServed',
      message: `Millwright does not serve namespace ${namespace}: ${reason}`,
      component: 'millwright',
    },
  );
}
