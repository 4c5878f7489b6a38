/** What is wrong with a provider spec: by its schema, and by rules that span fields. */
import { refusal, specCheck, withoutNulls } from '../spec-schema.ts';
import { locationOf } from './labels.ts';
import type { HetznerProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

const checkSchema = specCheck(schema);

/** A sentence for each fault; empty when there is none. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  return faults.length > 0 ? faults : faultsBetweenFields(specOf(providerSpec));
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): HetznerProviderSpec {
  const spec: HetznerProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}

function faultsBetweenFields(spec: HetznerProviderSpec): string[] {
  return [...placeFaults(spec), ...labelFaults(spec.labels), ...networkFaults(spec)];
}

function placeFaults(spec: HetznerProviderSpec): string[] {
  const { location, zone } = spec;
  if (zone === undefined) {
    return location === undefined ? ['providerSpec.location is missing: such as "hel1"'] : [];
  }
  const ofZone = locationOf({ zone });
  if (location === undefined || location === ofZone) return [];
  return [refusal('providerSpec.location', location, `that of providerSpec.zone, ${ofZone}`)];
}

/** Hetzner's rule for keys (hcloud-go, hcloud/labels.go). */
const keyForm =
  /^([a-z0-9A-Z]([-_.a-z0-9A-Z]{0,253}[a-z0-9A-Z])?\/)?[a-z0-9A-Z]([-_.a-z0-9A-Z]{0,61}[a-z0-9A-Z])?$/;

function labelFaults(labels: Readonly<Record<string, string>> = {}): string[] {
  const path = 'providerSpec.labels';
  return Object.keys(labels).flatMap((key) => {
    if (/^(millwright\.dev|mcm\.gardener\.cloud)\//.test(key)) {
      return [`${path}.${key}: labels of this prefix are set by Millwright`];
    }
    if (key.startsWith('hetzner.cloud/')) return [`${path}.${key}: this prefix is Hetzner's own`];
    const allowed =
      'the key of a label: up to 63 letters, digits, dashes, underscores and dots, after a prefix with a slash or none';
    return keyForm.test(key) ? [] : [refusal(path, key, allowed)];
  });
}

function networkFaults(spec: HetznerProviderSpec): string[] {
  const { assignPublicIPv4 = true, assignPublicIPv6 = true, networkName, networks = [] } = spec;
  const isReachable = assignPublicIPv4 || assignPublicIPv6 || networkName || networks.length > 0;
  return isReachable
    ? []
    : ['providerSpec.networkName is missing: without a public address a server needs a network'];
}
