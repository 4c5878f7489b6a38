/** The MachineSets of a MachineDeployment: found and adopted. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { claimOf, settleOwners } from '../machine-set/ownership.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import type { RefusedObjects } from './refused-objects.ts';

export interface OwnedSets {
  /** Oldest first. */
  owned: MachineSet[];
  /** Names of all sets of the namespace. */
  taken: Set<string>;
}

export interface ClaimRequest {
  /** The spec is wrong: nothing changes hands. */
  isFaulty: boolean;
  /** Refused writes to single sets; these are left as they are. */
  refused: RefusedObjects;
}

/** Orphans that the deployment selects are adopted on the way. */
export async function ownedSetsOf(
  { control, machineSets }: Pick<ActivityDependencies, 'control' | 'machineSets'>,
  deployment: MachineDeployment,
  request: ClaimRequest,
): Promise<OwnedSets> {
  const items = await machineSets.list(deployment.metadata.namespace ?? '');
  const owned: MachineSet[] = [];
  const claimant = await claimantOf(control, deployment, items);
  for (const set of items) {
    const claimed = await claim(control, claimant, { set, ...request });
    if (claimed) owned.push(claimed);
  }
  const taken = new Set(items.map(({ metadata }) => metadata.name));
  return { owned: owned.toSorted(byAge), taken };
}

/**
 * The deployment as it is after the sets were listed, where one of them could be adopted: a set
 * that was let go by `kubectl delete --cascade=orphan` between the two reads must not be taken
 * back, and then deleted.
 */
async function claimantOf(
  control: KubeClient,
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): Promise<MachineDeployment> {
  const { namespace, name, uid } = deployment.metadata;
  const mayClaim = sets.some((set) => claimOf(deployment, set, false).action === 'adopt');
  if (!mayClaim) return deployment;
  const path = customResource('machinedeployments', namespace ?? '', name);
  const present = await ignoreNotFound(control.get<MachineDeployment>(path));
  if (present?.metadata.uid === uid) return present;
  const { deletionTimestamp = 'gone' } = deployment.metadata;
  return { ...deployment, metadata: { ...deployment.metadata, deletionTimestamp } };
}

/**
 * The set, if it is the deployment's now; also where it is left alone because a client deletes it.
 */
async function claim(
  control: KubeClient,
  deployment: MachineDeployment,
  { set, isFaulty, refused }: ClaimRequest & { set: MachineSet },
): Promise<MachineSet | undefined> {
  const { action } = claimOf(deployment, set, isFaulty);
  if (action === 'keep' || action === 'leave') {
    return controllerOf(set)?.uid === deployment.metadata.uid ? set : undefined;
  }
  const { namespace = '', name } = set.metadata;
  const path = customResource('machinesets', namespace, name);
  const settled = await refused.attempt({ kind: 'MachineSet', name }, () =>
    settleOwners(control, { owner: deployment, isFaulty, path }, set),
  );
  return settled && controllerOf(settled)?.uid === deployment.metadata.uid ? settled : undefined;
}

function byAge(a: MachineSet, b: MachineSet): number {
  const order = Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp);
  return order || (a.metadata.name < b.metadata.name ? -1 : 1);
}
