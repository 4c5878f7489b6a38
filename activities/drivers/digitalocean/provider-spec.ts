/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * `providerSpec` of a MachineClass with `provider: digitalocean`. Names are those of Kubermatic's
 * machine-controller, where it has the field.
 */
export interface DigitalOceanProviderSpec {
  /** Where the droplet is made, such as `fra1`. */
  region: string;
  /**
   * Slug of the size, such as `s-2vcpu-4gb`. Those that begin with `gpu-` are looked for among GPU
   * droplets.
   */
  size: string;
  /**
   * Slug of a public image, such as `ubuntu-24-04-x64`. Only digits: the ID of an image or
   * snapshot.
   */
  image: string;
  /**
   * IDs or fingerprints of SSH keys of the account, as strings. Without any, DigitalOcean mails a
   * root password. Default: none.
   */
  sshKeys?: string[];
  /** The VPC. Default: that of the region. */
  vpcUUID?: string;
  /** The droplet has an IPv6 address. Default false. */
  ipv6?: boolean;
  /** The droplet has public addresses. Default true. */
  publicNetworking?: boolean;
  /** Backups are made each day. Default false. */
  backups?: boolean;
  /** DigitalOcean's agent for metrics is installed. Default false. */
  monitoring?: boolean;
  /** DigitalOcean's agent for its web console is installed. Default: where the image takes it. */
  dropletAgent?: boolean;
  /** Further tags of the droplet. Default: none. */
  tags?: string[];
  /**
   * What else is destroyed with the droplet, of that which is attached to it or was made of it
   * then. `volumes` may be those of PersistentVolumes. Default: nothing.
   */
  deleteWith?: ('reservedIPs' | 'snapshots' | 'volumes' | 'volumeSnapshots')[];
}
