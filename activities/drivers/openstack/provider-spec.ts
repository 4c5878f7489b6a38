/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/** `providerSpec` of a MachineClass with `provider: OpenStack`, as Gardener's driver reads it. */
export interface OpenStackProviderSpec {
  /** `openstack.machine.gardener.cloud/v1alpha1`. */
  apiVersion: 'openstack.machine.gardener.cloud/v1alpha1';
  /** `MachineProviderConfig`. */
  kind: 'MachineProviderConfig';
  spec: MachineSpec;
}
/** What a server is like. */
export interface MachineSpec {
  /** Of the services in Keystone's catalog. */
  region: string;
  /** Of the server, and of its volume. */
  availabilityZone: string;
  /**
   * Name of the flavor. One that does not exist counts as a lack of capacity, so that other pools
   * are used.
   */
  flavorName: string;
  /** Name of the key pair for SSH. Empty: none. */
  keyName: string;
  /** Id of the image. Needed where there is no `imageName`, before which it goes. */
  imageID?: string;
  /** Name of the image. It has to be the only one of that name. */
  imageName?: string;
  /** Names of security groups, for all ports. Default: Neutron's group `default`. */
  securityGroups?: string[];
  /** More of them. */
  additionalSecurityGroups?: string[];
  /**
   * Metadata of server and volume. A key has to contain `kubernetes.io-cluster-` and another
   * `kubernetes.io-role-`: by them MCM and Millwright know which servers are of this cluster. A `/`
   * in a key becomes `-`.
   */
  tags: {
    [k: string]: string;
  };
  /** Id of the network. This, or `networks`. */
  networkID?: string;
  /** Old: one of `subnetIDs`. */
  subnetID?: string;
  /** Subnets of `networkID`: the server has an address in each. Default: Neutron chooses. */
  subnetIDs?: string[];
  /** Networks, in the order of the server's network cards. Only without `networkID`. */
  networks?: Network[];
  /** Old: one of `podNetworkCIDRs`. */
  podNetworkCidr?: string;
  /**
   * Addresses of pods: the ports let packets with them pass. An empty list: none, as where a tunnel
   * carries them.
   */
  podNetworkCIDRs?: string[];
  /**
   * GiB. With it the server boots from a volume, otherwise from the flavor's own disk. Default 0.
   */
  rootDiskSize?: number;
  /**
   * Type of that volume, which is made before the server then. Without `rootDiskSize` it counts for
   * nothing. Default: Nova makes the volume, of Cinder's default type.
   */
  rootDiskType?: string;
  /** Id of the server group that says which hosts are allowed. */
  serverGroupID?: string;
  /** The server gets its user data on a drive of its own. Default false. */
  useConfigDrive?: boolean;
}
export interface Network {
  /** Id of the network. This, or `name`. */
  id?: string;
  /** Name of the network. It has to be the only one of that name. */
  name?: string;
  /** Packets with the addresses of pods pass here. Default false. */
  podNetwork?: boolean;
}
