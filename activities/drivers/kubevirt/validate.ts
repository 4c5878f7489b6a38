/** What is wrong with a provider spec for KubeVirt, and with a create of one. */
import type { CreateRequest } from '../driver.ts';
import { refusal, specCheck, withoutNulls } from '../spec-schema.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import type { KubevirtProviderSpec } from './provider-spec.ts';

const checkSchema = specCheck(schema);

export const rootDisk = 'root-disk';

/** A sentence for each fault. Rules that span fields are looked at once each field is right. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  return faults.length > 0 ? faults : diskFaults(specOf(providerSpec));
}

/** A validated spec with its types; null fields are absent, and quantities are texts. */
export function specOf(providerSpec: unknown): KubevirtProviderSpec {
  return JSON.parse(JSON.stringify(Object(withoutNulls(providerSpec)), withTexts));
}

function withTexts(key: string, value: unknown): unknown {
  if (key !== 'requests' && key !== 'limits') return value;
  return Object.fromEntries(Object.entries(Object(value)).map(([name, of]) => [name, String(of)]));
}

/** Of any spec. */
export function tagsIn(providerSpec: unknown): Record<string, string> {
  const { tags }: { tags?: unknown } = Object(providerSpec);
  const texts = Object.entries(Object(tags)).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(texts);
}

function diskFaults({ devices, additionalVolumes = [] }: KubevirtProviderSpec): string[] {
  const names = [rootDisk, ...additionalVolumes.map(({ name }) => name)];
  const disks = devices?.disks ?? [];
  return disks.flatMap(({ name }, index) => {
    const path = `providerSpec.devices.disks[${index}].name`;
    const isDouble = disks.findIndex((other) => other.name === name) !== index;
    if (isDouble) return [`${path}: "${name}" is there twice`];
    const allowed = `the name of a volume: ${names.join(', ')}`;
    return names.includes(name) ? [] : [refusal(path, name, allowed)];
  });
}

/** KubeVirt has the name in a label. */
const longestName = 63;

export function createFaults({ machine, userData, ...request }: CreateRequest): string[] {
  const faults: string[] = [];
  if (machine.name.length > longestName) {
    faults.push(refusal('name', machine.name, `a name of up to ${longestName} characters`));
  }
  const { sshKeys = [] }: { sshKeys?: unknown[] } = Object(request.providerSpec);
  const takesKeys =
    userData.startsWith('#cloud-config') && !/^ssh_authorized_keys:/m.test(userData);
  if (sshKeys.length > 0 && !takesKeys) {
    const allowed = 'user data that begin with #cloud-config and have no ssh_authorized_keys yet';
    faults.push(`providerSpec.sshKeys: keys can only be added to ${allowed}`);
  }
  return faults;
}
