/** Labels of servers and floating IPs: ours, and those by which MCM's driver knows its own. */
import type { TagSpelling } from '../frame/cloud.ts';
import type { Owner } from '../frame/tags.ts';
import { ownerTags } from '../frame/tags.ts';
import type { HetznerProviderSpec } from './provider-spec.ts';

export const labelSpelling: TagSpelling = {
  word: 'label',
  names: {
    cluster: 'millwright.dev/cluster',
    namespace: 'millwright.dev/namespace',
    machineUid: 'millwright.dev/machine-uid',
    token: 'millwright.dev/token',
  },
  allowed: /^[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/,
};

export const clusterLabel = 'mcm.gardener.cloud/cluster';
export const roleLabel = 'mcm.gardener.cloud/role';
export const zoneLabel = 'topology.kubernetes.io/zone';
export const poolLabel = 'networking.hcloud.mcm.gardener.cloud/floating-pool';

type PlaceFields = Pick<HetznerProviderSpec, 'location' | 'zone'>;

/** `hel1-dc2` is `hel1`. */
export function locationOf({ location, zone = '' }: PlaceFields): string {
  return location ?? zone.replace(/-.*$/, '');
}

/** Those of MCM's driver and of the class. */
export function classLabels(spec: HetznerProviderSpec): Record<string, string> {
  const { cluster, zone, floatingPoolName, labels } = spec;
  const location = locationOf(spec);
  return {
    ...labels,
    [clusterLabel]: cluster,
    [roleLabel]: 'node',
    'topology.kubernetes.io/region': location,
    [zoneLabel]: zone ?? location,
    ...(floatingPoolName !== undefined && { [poolLabel]: floatingPoolName }),
  };
}

export function poolLabels(spec: HetznerProviderSpec): Record<string, string> {
  const { cluster, floatingPoolName = '' } = spec;
  return { [clusterLabel]: cluster, [poolLabel]: floatingPoolName };
}

/** For `label_selector`. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}==${value}`)
    .join(',');
}

export const ownerSelector = (owner: Owner): string => selectorOf(ownerTags(owner, labelSpelling));

/** Without a label of ours: MCM made it. */
export const withoutOurs = (selector: string): string =>
  `${selector},!${labelSpelling.names.cluster}`;
