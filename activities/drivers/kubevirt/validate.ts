/** What is wrong with a provider spec for KubeVirt, and with a create of one. */
import type { CreateRequest } from '../driver.ts';
import { specCheck, withoutNulls } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
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
  const tags = Object.entries(Object(Object(providerSpec).tags));
  const scalars = tags.filter(([, value]) => typeof value !== 'object');
  return Object.fromEntries(scalars.map(([name, value]) => [name, String(value)]));
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

export function createFaults({ machine, userData, ...request }: CreateRequest): string[] {
  const { name } = machine;
  const { sshKeys = [] }: { sshKeys?: unknown[] } = Object(request.providerSpec);
  const isText = userData.startsWith('#cloud-config') && !/^ssh_authorized_keys:/m.test(userData);
  const allowed = 'user data that begin with #cloud-config and have no ssh_authorized_keys yet';
  const words = `providerSpec.sshKeys: keys can only be added to ${allowed}`;
  return [
    // KubeVirt has it in a label.
    ...(name.length > 63 ? [refusal('name', name, 'a name of up to 63 characters')] : []),
    ...(sshKeys.length > 0 && !isText ? [words] : []),
  ];
}
