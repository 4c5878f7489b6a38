/** What is wrong with a provider spec: by its schema, and by MCM's rules that span fields. */
import { specCheck } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
import type { MachineSpec, Network } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { clusterTagPart, metadataOf, roleTagPart, searchKeysOf, specOf } from './spec.ts';
import { ownPrefix } from './tags.ts';

const checkSchema = specCheck(schema);

/**
 * A sentence for each fault; empty when there is none. Rules that span fields are checked once each
 * field is right.
 */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  if (faults.length > 0) return faults;
  const spec = specOf(providerSpec);
  if (!searchKeysOf(providerSpec)) {
    faults.push(
      `providerSpec.spec.tags: a key has to contain ${clusterTagPart} and another ${roleTagPart}: without both no server is found again`,
    );
  }
  if (!spec.imageID && !spec.imageName) {
    faults.push('providerSpec.spec: imageID or imageName is missing');
  }
  // An empty list says that there are none.
  if (!spec.podNetworkCidr && !spec.podNetworkCIDRs) {
    faults.push('providerSpec.spec.podNetworkCIDRs is missing');
  }
  return [...faults, ...tagFaults(spec), ...networkFaults(spec)];
}

function tagFaults({ tags }: MachineSpec): string[] {
  return Object.keys(metadataOf(tags)).flatMap((key) => {
    const path = `providerSpec.spec.tags.${key}`;
    if (key.startsWith(ownPrefix)) {
      return [`${path}: keys that begin with ${ownPrefix} are set by Millwright`];
    }
    if (/^[-\w:. ]{1,255}$/.test(key)) return [];
    const allowed =
      'the key of a metadatum: up to 255 letters, digits, spaces and any of "-_:./", where / becomes -';
    return [refusal('providerSpec.spec.tags', key, allowed)];
  });
}

function networkFaults({ networkID, networks = [] }: MachineSpec): string[] {
  const path = 'providerSpec.spec.networks';
  if (networkID && networks.length > 0) {
    return [`${path} and networkID exclude each other: remove one`];
  }
  if (!networkID && networks.length === 0) {
    return ['providerSpec.spec: networkID or networks is missing'];
  }
  return networks.flatMap(({ id, name }: Network, index) => {
    if (!id && !name) return [`${path}[${index}]: id or name is missing`];
    return id && name ? [`${path}[${index}]: id and name exclude each other: remove one`] : [];
  });
}
