/** Labels that say whose an object is. */
import type { ListRequest } from '../driver.ts';
import type { TagSpelling } from '../frame/cloud.ts';
import { ownerTags } from '../frame/tags.ts';
import { tagsIn } from './validate.ts';

/** As Gardener's driver and KubeVirt's own examples name a machine. */
export const machineLabel = 'kubevirt.io/vm';

export const spelling: TagSpelling = {
  word: 'label',
  names: {
    cluster: 'millwright.dev/cluster',
    namespace: 'millwright.dev/namespace',
    machineUid: 'millwright.dev/machine-uid',
    token: 'millwright.dev/token',
  },
  allowed: /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/,
};

export function ownSelector(request: ListRequest): string {
  return selectorOf(ownerTags(request, spelling));
}

/** Of what MCM made. Undefined where the class has no tags: any object would do. */
export function classSelector({ providerSpec }: ListRequest): string | undefined {
  const tags = tagsIn(providerSpec);
  if (Object.keys(tags).length === 0) return undefined;
  return `${selectorOf(tags)},!${spelling.names.cluster}`;
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
