/** What a provider spec says, in the forms of today and of old. */
import { withoutNulls } from '../spec-schema.ts';
import { fault } from '../frame/fault.ts';
import type { MachineSpec, OpenStackProviderSpec } from './provider-spec.ts';

export const clusterTagPart = 'kubernetes.io-cluster-';
export const roleTagPart = 'kubernetes.io-role-';

/** Its `spec`, validated; null fields are absent. */
export function specOf(providerSpec: unknown): MachineSpec {
  const { spec }: OpenStackProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}

/** Of a spec that need not be right otherwise. */
export function regionOf(providerSpec: unknown): string {
  const { region } = rawSpecOf(providerSpec);
  if (typeof region === 'string' && region !== '') return region;
  throw fault('input', 'Invalid value: providerSpec.spec.region is missing', true);
}

export function rawSpecOf(providerSpec: unknown): Record<string, unknown> {
  const { spec } = Object(providerSpec);
  return Object(spec);
}

/** Nova takes no `/` in the key of a metadatum. */
export function metadataOf(tags: unknown): Record<string, string> {
  const entries = Object.entries(Object(tags)).map(([key, value]): [string, string] => [
    key.replaceAll('/', '-'),
    String(value),
  ]);
  return Object.fromEntries(entries);
}

/**
 * The two keys by which MCM knows its servers, whatever their values. Undefined when one is
 * missing.
 */
export function searchKeysOf(providerSpec: unknown): [string, string] | undefined {
  const keys = Object.keys(metadataOf(rawSpecOf(providerSpec)['tags']));
  const cluster = keys.findLast((key) => key.includes(clusterTagPart));
  const role = keys.findLast((key) => !key.includes(clusterTagPart) && key.includes(roleTagPart));
  return cluster === undefined || role === undefined ? undefined : [cluster, role];
}

export interface Network {
  id?: string;
  name?: string;
  /** In each of them the port has an address. Empty: where Neutron chooses. */
  subnets: string[];
  /** Whose packets pass. */
  podRanges: string[];
}

/** One port for each. */
export function networksOf(spec: MachineSpec): Network[] {
  const { podNetworkCIDRs = [], podNetworkCidr, subnetIDs = [], subnetID, networkID } = spec;
  const podRanges = distinct([...podNetworkCIDRs, podNetworkCidr]);
  if (networkID) return [{ id: networkID, subnets: distinct([...subnetIDs, subnetID]), podRanges }];
  return (spec.networks ?? []).map(({ id, name, podNetwork = false }) => ({
    ...(id ? { id } : { name: name ?? '' }),
    subnets: [],
    podRanges: podNetwork ? podRanges : [],
  }));
}

/** In the order in which MCM sends them. */
function distinct(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.flatMap((text) => (text ? [text] : [])))].toSorted();
}

export function securityGroupsOf(spec: MachineSpec): string[] {
  return [...new Set([...(spec.securityGroups ?? []), ...(spec.additionalSecurityGroups ?? [])])];
}
