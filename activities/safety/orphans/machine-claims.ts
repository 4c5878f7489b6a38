import { readMachines } from '../../machine/object.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { defined } from '../../../workflows/values/defined.ts';
import type { Claims } from '../../../workflows/plan/safety/orphan-claims.ts';
import { claimsOf } from '../../../workflows/plan/safety/orphan-claims.ts';
import type { KubeClient } from '../../../kube/client/client.ts';

/** Instances that the Machines of the namespace have now. */
export async function readClaims(control: KubeClient, namespace: string): Promise<Claims> {
  return claimsIn(await readMachines(control, namespace));
}

export function claimsIn(machines: readonly Machine[]): Claims {
  return claimsOf(
    machines.map(({ metadata, spec }) =>
      defined({
        name: metadata.name,
        uid: metadata.uid,
        providerID: spec.providerID === '' ? undefined : spec.providerID,
        isDeleting: metadata.deletionTimestamp !== undefined,
      }),
    ),
  );
}
