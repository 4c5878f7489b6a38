/** Labels of servers and floating IPs: ours, and those by which MCM's driver knows its own. */
import type { TagSpelling } from '../frame/cloud.ts';
import { usualNames } from '../frame/tags.ts';
import type { HetznerProviderSpec } from './provider-spec.ts';

export const labelSpelling: TagSpelling = {
  word: 'label',
  names: usualNames,
  allowed: /^[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/,
};

export const clusterLabel = 'mcm.gardener.cloud/cluster';
export const roleLabel = 'mcm.gardener.cloud/role';
export const zoneLabel = 'topology.kubernetes.io/zone';
export const poolLabel = 'networking.hcloud.mcm.gardener.cloud/floating-pool';

/** `hel1-dc2` is `hel1`. */
export const locationOf = ({ location, zone = '' }: Partial<HetznerProviderSpec>): string =>
  location ?? zone.replace(/-.*$/, '');

/** Those of MCM's driver and of the class. */
export function classLabels(spec: HetznerProviderSpec): Record<string, string> {
  const location = locationOf(spec);
  return {
    ...spec.labels,
    [clusterLabel]: spec.cluster,
    [roleLabel]: 'node',
    'topology.kubernetes.io/region': location,
    [zoneLabel]: spec.zone ?? location,
    ...(spec.floatingPoolName !== undefined && { [poolLabel]: spec.floatingPoolName }),
  };
}

/** For `label_selector`. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}==${value}`)
    .join(',');
}
