/** Hetzner: servers of `provider: hcloud`. */
import { FieldFault, type ProviderTable } from './table.ts';
import { asName, asTexts, flag, isGiven, isOff, words } from './read-values.ts';

/** Those of machine-controller. */
const images: Readonly<Record<string, string>> = { ubuntu: 'ubuntu-24.04', rockylinux: 'rocky-9' };

const isId = (word: string): boolean => /^[1-9]\d*$/.test(word);

const noKeys =
  'cloudProviderSpec.sshKeys is not given: machine-controller makes an SSH key for each server and deletes it again, Millwright makes none, and without any key Hetzner mails a root password for each server to the owner of the project. Write the names of SSH keys of the project here (a field of Millwright, which machine-controller refuses), or, with commas, into HZ_SSH_KEYS of the front';

export const hetzner: ProviderTable = {
  cloudProvider: 'hetzner',
  provider: 'hcloud',
  rows: [
    {
      theirs: 'token',
      secret: 'token',
      env: 'HZ_TOKEN',
      required: 'write an API token of the project with the right to read and write',
    },
    {
      theirs: 'serverType',
      ours: 'serverType',
      required: 'write the name of a server type, such as cx32',
      to: asName,
    },
    { theirs: 'location', ours: 'location', to: asName },
    // Both: see `locationFaults`.
    { theirs: 'datacenter', ours: 'location', to: locationOf, back: () => undefined },
    { theirs: 'image', ours: 'imageName' },
    {
      theirs: 'placementGroupPrefix',
      refused:
        'a placement group holds ten servers, and Millwright makes none: remove it, and servers may share a host; or make a MachineDeployment of Millwright for up to ten machines, with placementGroupID in its class',
    },
    // By name: see `networkOf`.
    { theirs: 'networks', ours: 'networks', to: networkIds },
    {
      theirs: 'firewalls',
      ours: 'firewalls',
      to: (value: unknown) => words(value).map(firewallId),
      back: asTexts,
    },
    { theirs: 'labels', ours: 'labels' },
    { theirs: 'assignPublicIPv4', ours: 'assignPublicIPv4', to: flag },
    { theirs: 'assignPublicIPv6', ours: 'assignPublicIPv6', to: flag },
    { theirs: 'sshKeys', ours: 'sshKeys', env: 'HZ_SSH_KEYS', to: words },
  ],
  more(spec, { cluster, operatingSystem }) {
    const image = isGiven(spec['image']) ? undefined : images[operatingSystem];
    const names = words(spec['networks'] ?? []).filter((word) => !isId(word));
    const [networkName] = names;
    const faults = [...locationFaults(spec), ...addressFaults(spec)];
    if (!isGiven(spec['image']) && image === undefined) {
      const known = Object.keys(images).join(' and ');
      faults.push(
        `cloudProviderSpec.image is missing: write the name of an image, as there is a default for ${known} only`,
      );
    }
    if (names.length > 1) {
      faults.push(
        `cloudProviderSpec.networks "${names.join(', ')}" cannot be said: one network may be named, write the IDs of the others`,
      );
    }
    return {
      providerSpec: {
        cluster,
        ...(image !== undefined && { imageName: image }),
        ...(networkName !== undefined && { networkName }),
      },
      faults,
      ignored: isGiven(spec['sshKeys']) ? [] : [noKeys],
    };
  },
  moreBack({ networks, networkName }) {
    const all = [...words(networks ?? []), ...words(networkName ?? [])];
    return all.length > 0 ? { networks: all } : {};
  },
  findsInstanceBy: {
    tag: 'machine-uid',
    command: (id, uid) => `hcloud server add-label ${lastPartOf(id)} machine-uid=${uid}`,
  },
  /** Theirs is that of Hetzner's cloud controller manager. */
  providerID(theirs, { location }) {
    const [, id] = /^hcloud:\/\/([1-9]\d*)$/.exec(theirs) ?? [];
    if (id !== undefined) return { value: `hcloud:///${String(location)}/${id}` };
    return { fault: `spec.providerID "${theirs}" is not of the form hcloud://ID` };
  },
  providerIDBack: (ours) => `hcloud://${lastPartOf(ours)}`,
};

const lastPartOf = (id: string): string => id.slice(id.lastIndexOf('/') + 1);

/** `nbg1-dc3` is `nbg1`. */
function locationOf(datacenter: unknown): string {
  const [location = ''] = String(datacenter).split('-');
  if (location !== '' && !/^\d+$/.test(location)) return location;
  throw new FieldFault('is no name of a datacenter: write location, such as nbg1');
}

function networkIds(value: unknown): number[] | undefined {
  const ids = words(value).filter(isId).map(Number);
  return ids.length > 0 ? ids : undefined;
}

function firewallId(word: string): number {
  if (isId(word)) return Number(word);
  throw new FieldFault(`names ${word}: write its ID (hcloud firewall list)`);
}

type Spec = Readonly<Record<string, unknown>>;

function locationFaults({ location, datacenter }: Spec): string[] {
  if (isGiven(location) && isGiven(datacenter)) {
    return ['cloudProviderSpec.datacenter is given beside location: remove it'];
  }
  if (isGiven(location) || isGiven(datacenter)) return [];
  return [
    'cloudProviderSpec.location is missing: Hetzner would choose one for each server; write one, such as nbg1',
  ];
}

/** As theirs. */
function addressFaults({ assignPublicIPv4, assignPublicIPv6, networks }: Spec): string[] {
  const hasNetwork = words(networks ?? []).length > 0;
  if (hasNetwork || !isOff(assignPublicIPv4) || !isOff(assignPublicIPv6)) return [];
  return [
    'cloudProviderSpec.networks is missing: without public addresses a server needs a network',
  ];
}
