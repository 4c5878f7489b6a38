/**
 * The network tags by which Gardener's driver knows its instances. Google cannot search by them.
 */

export interface SearchTags {
  cluster: string;
  role: string;
}

export const clusterTagPart = 'kubernetes-io-cluster-';
export const roleTagPart = 'kubernetes-io-role-';

/**
 * The last of several counts, as in Gardener's driver. Undefined when one of the two is missing.
 */
export function searchTagsOf(tags: readonly string[]): SearchTags | undefined {
  const cluster = tags.findLast((tag) => tag.includes(clusterTagPart));
  const role = tags.findLast((tag) => !tag.includes(clusterTagPart) && tag.includes(roleTagPart));
  return cluster === undefined || role === undefined ? undefined : { cluster, role };
}

export function haveSameSearchTags(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [searchTagsOf(some), searchTagsOf(others)];
  return one !== undefined && one.cluster === other?.cluster && one.role === other.role;
}
