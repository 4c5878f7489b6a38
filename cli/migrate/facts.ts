/** Reads for the check from the control cluster. It names what the person may not read. */
import { isNotFound } from '../../kube/client/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { ownLeaseOf } from '../../kube/leases/lease-set.ts';
import { apiVersion, group } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { MigrateOptions } from './options.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import { TolerantReads } from '../install/tolerant.ts';
import { findMcm, findOurs, type Deployment } from '../install/deployments.ts';
import { readLease } from '../../kube/leases/read-lease.ts';
import { holderOf } from '../install/lease-holder.ts';
import { installFlagsOf } from '../install/flags.ts';
import { policyAgainst } from './policy.ts';
import { missingRights } from './rights.ts';

type LeaseName = 'machine-controller-manager' | 'machine-controller' | 'millwright';
/** Identity of the holder; undefined where a Lease is free. */
export type Holders = Readonly<Record<LeaseName, string | undefined>>;

export interface Facts {
  namespace: string;
  /** Such as `v1.33.2`. */
  kubernetes: string;
  /** `machines`, `machines/status`, ... as the API server serves them; empty without the CRDs. */
  served: readonly string[];
  mcm: readonly Deployment[];
  /** Why MCM cannot record the machines that it creates; undefined where it can. */
  policy: string | undefined;
  ours: readonly Deployment[];
  holders: Holders;
  classes: readonly MachineClass[];
  deployments: readonly MachineDeployment[];
  sets: readonly MachineSet[];
  machines: readonly Machine[];
  /** Missing rights of the person, for all commands: `patch deployments.apps in machines`. */
  missingRights: readonly string[];
  /** Reads that were refused, so that nothing is known. */
  unread: readonly string[];
}

export async function readFacts(
  { kube, namespace }: ClusterScope,
  options: MigrateOptions,
): Promise<Facts> {
  const release = options.releaseNamespace ?? namespace;
  const reads = new TolerantReads();
  const { gitVersion } = await kube.get<{ gitVersion: string }>('/version');
  const served = await servedResources(kube);
  const all = async <T>(kind: MachineKind): Promise<T[]> => {
    if (!served.includes(kind)) return [];
    const list = kube.list<T>(customResource(kind, namespace));
    return (await reads.read(kind, list))?.items ?? [];
  };
  const mcm =
    (await reads.read('Deployments', findMcm(kube, namespace, options.mcmDeployments))) ?? [];
  const ours = (await reads.read('Deployments', findOurs(kube, release, namespace))) ?? [];
  return {
    namespace,
    kubernetes: gitVersion,
    served,
    mcm,
    policy: await policyAgainst(kube, namespace, mcm),
    ours,
    holders: (await reads.read('Leases', readHolders(kube, namespace, ours))) ?? allFree,
    classes: await all<MachineClass>('machineclasses'),
    deployments: await all<MachineDeployment>('machinedeployments'),
    sets: await all<MachineSet>('machinesets'),
    machines: await all<Machine>('machines'),
    missingRights: await missingRights(kube, { namespace, release }),
    unread: reads.unread,
  };
}

const allFree: Holders = {
  'machine-controller-manager': undefined,
  'machine-controller': undefined,
  millwright: undefined,
};

async function servedResources(kube: KubeClient): Promise<string[]> {
  try {
    const { resources } = await kube.get<{ resources: { name: string }[] }>(`/apis/${apiVersion}`);
    return resources.map(({ name }) => name);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw new Error(`the API group ${group} cannot be read`, { cause: error });
  }
}

/** Our own Lease is where the flags of our watcher say. */
export async function readHolders(
  kube: KubeClient,
  namespace: string,
  ours: readonly Deployment[],
): Promise<Holders> {
  const own = ownLeaseOf(namespace, installFlagsOf(ours).leasePlace);
  const [manager, controller, millwright] = await Promise.all([
    readHolder(kube, { namespace, name: 'machine-controller-manager' }),
    readHolder(kube, { namespace, name: 'machine-controller' }),
    readHolder(kube, own),
  ]);
  return {
    'machine-controller-manager': manager,
    'machine-controller': controller,
    millwright,
  };
}

async function readHolder(kube: KubeClient, lease: NamespacedName): Promise<string | undefined> {
  return holderOf(await readLease(kube, lease));
}
