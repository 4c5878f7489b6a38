/** DigitalOcean: droplets. */
import type { ProviderTable } from './table.ts';
import { addressFamilies, flag, isGiven, words } from './read-values.ts';

/** Those of machine-controller, which takes no others. */
const images: Readonly<Record<string, string>> = {
  ubuntu: 'ubuntu-24-04-x64',
  rockylinux: 'rockylinux-9-x64',
};

const noKeys =
  'cloudProviderSpec.sshKeys is not given: machine-controller makes an SSH key for each droplet and deletes it again, Millwright makes none, and without any key DigitalOcean mails a root password for each droplet. Write IDs or fingerprints of SSH keys of the account here (a field of Millwright, which machine-controller refuses), or, with commas, into DO_SSH_KEYS of the front';

export const digitalocean: ProviderTable = {
  cloudProvider: 'digitalocean',
  provider: 'digitalocean',
  rows: [
    { theirs: 'token', secret: 'token', env: 'DO_TOKEN', required: 'write an API token' },
    { theirs: 'region', ours: 'region', required: 'write the slug of a region, such as fra1' },
    { theirs: 'size', ours: 'size', required: 'write the slug of a size, such as s-2vcpu-4gb' },
    { theirs: 'backups', ours: 'backups', to: flag },
    { theirs: 'ipv6', ours: 'ipv6', to: flag },
    {
      theirs: 'private_networking',
      ignored: 'each droplet is in a VPC, by default in that of its region',
    },
    { theirs: 'monitoring', ours: 'monitoring', to: flag },
    { theirs: 'tags', ours: 'tags' },
    { theirs: 'sshKeys', ours: 'sshKeys', env: 'DO_SSH_KEYS', to: words },
  ],
  more(spec, { operatingSystem, network }) {
    const image = images[operatingSystem];
    const { v4, v6 } = addressFamilies(network?.ipFamily);
    const faults: string[] = [];
    if (image === undefined) {
      const known = Object.keys(images).join(' and ');
      faults.push(`operatingSystem "${operatingSystem}": for DigitalOcean there is ${known} only`);
    }
    if (!v4) {
      faults.push(
        'network.ipFamily "IPv6": machine-controller refuses it for DigitalOcean too: write IPv4 or IPv4+IPv6',
      );
    }
    return {
      providerSpec: {
        ...(image !== undefined && { image }),
        ...(v4 && v6 && { ipv6: true }),
      },
      faults,
      ignored: isGiven(spec['sshKeys']) ? [] : [noKeys],
    };
  },
  findsInstanceBy: {
    tag: 'the UID itself',
    command: (id, uid) =>
      `doctl compute droplet tag ${id.replace('digitalocean://', '')} --tag-name ${uid}`,
  },
};
