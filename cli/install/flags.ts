/** Reads the flags of our own Deployments. */
import type { InstallNote } from '../../kube/objects/install-note.ts';
import type { LeasePlace } from '../../kube/leases/lease-set.ts';
import { readFlags } from '../../workers/config/flags/parse.ts';
import { containersOf, isWatcher, type Deployment } from './deployments.ts';

export interface InstallFlags {
  /** Empty: the namespace of the Machines; without a watcher, what claimed it. */
  name: string;
  hasWatcher: boolean;
  /** Empty: the UID of the namespace kube-system. */
  clusterId: string;
  /** It serves namespaces that come and go: `--namespaces`. */
  isFleet: boolean;
  /** Empty: none. */
  clusterName: string;
  temporalAddress: string;
  temporalNamespace: string;
  /** As the watcher noted it on its Lease. Absent: it did not. */
  temporalNoted?: InstallNote['temporal'];
  /** Name of our Lease. */
  leasePlace: LeasePlace;
}

/** Defaults where there is no watcher. */
export function installFlagsOf(ours: readonly Deployment[]): InstallFlags {
  const watcher = ours.find(isWatcher);
  const words = watcher ? containersOf(watcher).flatMap(({ args = [] }) => args) : [];
  // The program before them is no flag: that fault is left out.
  const { values } = readFlags(words, { component: 'watcher' });
  return {
    name: values.install,
    hasWatcher: watcher !== undefined,
    isFleet: values.namespaces !== 'none',
    clusterId: values['cluster-id'],
    clusterName: values['cluster-name'],
    temporalAddress: values['temporal-address'],
    temporalNamespace: values['temporal-namespace'],
    leasePlace: {
      resourceNamespace: values['leader-elect-resource-namespace'] || undefined,
      resourceName: values['leader-elect-resource-name'],
    },
  };
}
