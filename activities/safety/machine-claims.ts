import type { Machine } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/plan/defined.ts';
import type { Claims } from '../../workflows/plan/orphan-claims.ts';
import { claimsOf } from '../../workflows/plan/orphan-claims.ts';
import type { KubeClient } from '../kube/client.ts';
import { customResource } from '../kube/paths.ts';

/** What the Machines of the namespace say of their instances now: a consistent LIST. */
export async function readClaims(control: KubeClient, namespace: string): Promise<Claims> {
  const { items } = await control.list<Machine>(customResource('machines', namespace));
  return claimsOf(
    items.map(({ metadata, spec }) =>
      defined({
        name: metadata.name,
        uid: metadata.uid,
        providerID: spec.providerID === '' ? undefined : spec.providerID,
        isDeleting: metadata.deletionTimestamp !== undefined,
      }),
    ),
  );
}
