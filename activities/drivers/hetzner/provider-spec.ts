/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * `providerSpec` of a MachineClass with `provider: hcloud`, as the driver of 23technologies reads
 * it, and more.
 */
export interface HetznerProviderSpec {
  /**
   * Stands in the label `mcm.gardener.cloud/cluster` of each server: by it and by
   * `mcm.gardener.cloud/role` MCM and Millwright know which servers are of this cluster.
   */
  cluster: string;
  /** Where the server is made, such as `hel1`. Default: that of `zone`. */
  location?: string;
  /**
   * Of classes that were written for a datacenter, such as `hel1-dc2`, which Hetzner no longer has:
   * the part before the dash is the location. It stays in the providerID and in the label
   * `topology.kubernetes.io/zone`.
   */
  zone?: string;
  /** Name of the server type, such as `cx32`. */
  serverType: string;
  /** Name of the image, such as `ubuntu-24.04`. Only digits: the ID of an image or snapshot. */
  imageName: string;
  /**
   * Fingerprint of an SSH key of the project, which is looked up. Without any key Hetzner mails a
   * root password to the owner of the project.
   */
  sshFingerprint?: string;
  /** Names of SSH keys of the project, beside that of `sshFingerprint`. Default: none. */
  sshKeys?: string[];
  /** Name of a network that the server is attached to; it is looked up. Default: none. */
  networkName?: string;
  /**
   * IDs of networks that the server is attached to, beside that of `networkName`. Default: none.
   */
  networks?: number[];
  /** IDs of firewalls that are applied to the server. Default: none. */
  firewalls?: number[];
  /** ID of a placement group, as a string. Default: none. */
  placementGroupID?: string;
  /**
   * Each server gets a floating IPv4 address of its own, called `POOL-MACHINE-ipv4`, which goes
   * with it. Default: none.
   */
  floatingPoolName?: string;
  /** The server has a public IPv4 address. Default true. */
  assignPublicIPv4?: boolean;
  /** The server has a public IPv6 network. Default true. */
  assignPublicIPv6?: boolean;
  /** Further labels of the server. Default: none. */
  labels?: {
    [k: string]: string;
  };
}
