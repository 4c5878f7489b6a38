/** What is wrong with a provider spec for KubeVirt, and with a create of one. */
import type { CreateRequest } from '../driver.ts';
import { refusal, specCheck, withoutNulls } from '../spec-schema.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import type { DataVolume, KubevirtProviderSpec } from './provider-spec.ts';

const checkSchema = specCheck(schema);

export const rootDisk = 'root-disk';

/** A sentence for each fault. Rules that span fields are looked at once each field is right. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  if (faults.length > 0) return faults;
  const spec = specOf(providerSpec);
  return [
    ...amountFaults(spec),
    ...volumeFaults('providerSpec.rootVolume', spec.rootVolume),
    ...additionalFaults(spec),
    ...diskFaults(spec),
    ...dnsFaults(spec),
    ...tagFaults(spec.tags),
  ];
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): KubevirtProviderSpec {
  const spec: KubevirtProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}

/** Of any spec. */
export function tagsIn(providerSpec: unknown): Record<string, string> {
  const { tags }: { tags?: unknown } = Object(providerSpec);
  const texts = Object.entries(Object(tags)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

const isZero = (quantity: unknown): boolean => Number.parseFloat(String(quantity)) === 0;

function amountFaults({ resources: { requests } }: KubevirtProviderSpec): string[] {
  const path = 'providerSpec.resources.requests';
  return Object.entries(requests)
    .filter(([, quantity]) => isZero(quantity))
    .map(([name, quantity]) => refusal(`${path}.${name}`, quantity, 'more than zero'));
}

function volumeFaults(path: string, { pvc, storage }: DataVolume): string[] {
  const claim = pvc ?? storage;
  if (!claim || (pvc && storage)) {
    return [`${path}: exactly one of pvc and storage is needed, with its size in resources`];
  }
  const size = claim.resources.requests.storage;
  const name = pvc ? 'pvc' : 'storage';
  const field = `${path}.${name}.resources.requests.storage`;
  return isZero(size) ? [refusal(field, size, 'more than zero')] : [];
}

function additionalFaults({ additionalVolumes = [] }: KubevirtProviderSpec): string[] {
  return additionalVolumes.flatMap(({ dataVolume, volumeSource }, index) => {
    const path = `providerSpec.additionalVolumes[${index}]`;
    if (dataVolume && !volumeSource) return volumeFaults(`${path}.dataVolume`, dataVolume);
    if (volumeSource && !dataVolume) return [];
    return [`${path}: exactly one of dataVolume and volumeSource is needed`];
  });
}

function diskFaults({ devices, additionalVolumes = [] }: KubevirtProviderSpec): string[] {
  const disks = devices?.disks ?? [];
  const names = [rootDisk, ...additionalVolumes.map(({ name }) => name)];
  return disks.flatMap((disk, index) => {
    const path = `providerSpec.devices.disks[${index}]`;
    const { name } = disk;
    if (disk['bootOrder'] !== undefined) {
      return [`${path}.bootOrder cannot be set: the machine starts from ${rootDisk}`];
    }
    const isDouble = disks.findIndex((other) => other.name === name) !== index;
    if (isDouble) return [`${path}.name: "${name}" is there twice`];
    const allowed = `the name of a volume: ${names.join(', ')}`;
    return names.includes(name) ? [] : [refusal(`${path}.name`, name, allowed)];
  });
}

function dnsFaults({ dnsPolicy, dnsConfig }: KubevirtProviderSpec): string[] {
  if (dnsPolicy !== 'None' || (dnsConfig?.nameservers ?? []).length > 0) return [];
  return ['providerSpec.dnsConfig.nameservers is missing: dnsPolicy None needs one at least'];
}

const labelName =
  /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function tagFaults(tags: Record<string, string> = {}): string[] {
  return Object.entries(tags).flatMap(([name, value]) => {
    const path = `providerSpec.tags.${name}`;
    if (name.startsWith('millwright.dev/')) {
      return [`${path}: labels that begin with millwright.dev/ are set by Millwright`];
    }
    const characters = 'up to 63 letters, digits, dashes, underscores and dots';
    if (!labelName.test(name)) {
      return [refusal(path, name, `the name of a label: ${characters}, perhaps after a domain/`)];
    }
    return labelValue.test(value)
      ? []
      : [refusal(path, value, `the value of a label: ${characters}`)];
  });
}

/** KubeVirt has the name in a label. */
const longestName = 63;

export function createFaults({ machine, ...request }: CreateRequest): string[] {
  const faults: string[] = [];
  if (machine.name.length > longestName) {
    faults.push(refusal('name', machine.name, `a name of up to ${longestName} characters`));
  }
  const { sshKeys = [] }: { sshKeys?: unknown[] } = Object(request.providerSpec);
  if (sshKeys.length > 0) faults.push(...keyFaults(request));
  return faults;
}

function keyFaults({ userData, userDataBytes }: Omit<CreateRequest, 'machine'>): string[] {
  const path = 'providerSpec.sshKeys';
  if (userDataBytes || !userData.startsWith('#cloud-config')) {
    return [`${path}: keys can only be added to user data that begin with #cloud-config`];
  }
  if (!userData.includes('ssh_authorized_keys:')) return [];
  return [`${path}: the user data has ssh_authorized_keys already: put all keys into one of them`];
}
