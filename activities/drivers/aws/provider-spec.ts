/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * `providerSpec` of a MachineClass with `provider: AWS`. The fields are those of Gardener's AWS
 * driver.
 */
export interface AwsProviderSpec {
  /** `mcm.gardener.cloud/v1alpha1`; not checked. */
  apiVersion?: string;
  /** Identity of the image, such as `ami-0123456789abcdef0`. */
  ami: string;
  /** Such as `eu-west-1`. */
  region: string;
  /** EC2 instance type, such as `m5.large`. */
  machineType: string;
  /** The instance profile: either name or ARN. */
  iam: {
    /** Name of the instance profile. */
    name?: string;
    /** ARN of the instance profile. */
    arn?: string;
  };
  /** Name of an EC2 key pair for SSH. Default: none. */
  keyName?: string;
  /**
   * Made with the instance.
   *
   * @minItems 1
   */
  networkInterfaces: [AwsNetworkInterface, ...AwsNetworkInterface[]];
  /**
   * Volumes that are made with the instance.
   *
   * @minItems 1
   */
  blockDevices: [AwsBlockDevice, ...AwsBlockDevice[]];
  /** Throughput of its own for volumes, on types that do not have it anyway. Default false. */
  ebsOptimized?: boolean;
  /** Detailed monitoring, every minute. Default false. */
  monitoring?: boolean;
  /**
   * On instance, volumes and interfaces. One key contains `kubernetes.io/cluster/` and one
   * `kubernetes.io/role/`. `Name` is of no effect.
   */
  tags: {
    [k: string]: string;
  };
  /** At most one of the three. Default: any open reservation that fits. */
  capacityReservation?: {
    /** `open`, `none` or `capacity-reservations-only`. */
    capacityReservationPreference?: string;
    capacityReservationId?: string;
    capacityReservationResourceGroupArn?: string;
  };
  /** Default: on demand. */
  instanceMarketOptions?: {
    marketType: 'spot' | 'capacity-block' | 'interruptible-capacity-reservation';
  };
  /**
   * Deprecated: a one-time spot instance for this many dollars an hour at most; `""` is without a
   * limit. Of no effect with instanceMarketOptions.
   */
  spotPrice?: string;
  placement?: {
    /** ID of a placement group. */
    groupId?: string;
    tenancy?: 'default' | 'dedicated' | 'host';
    /** ID of a dedicated host; needs tenancy host. */
    hostId?: string;
    /** Partition of a partition placement group. */
    partitionNumber?: number;
    /** To the dedicated host. */
    affinity?: 'default' | 'host';
  };
  /** False: the interfaces pass on packets that are not for the instance. Default true. */
  srcAndDstChecksEnabled?: boolean;
  /** Options of the metadata service inside the instance. */
  instanceMetadataOptions?: {
    /** Default enabled. */
    httpEndpoint?: '' | 'enabled' | 'disabled';
    /** required: IMDSv2 only. Default: as the image or the account says. */
    httpTokens?: '' | 'required' | 'optional';
    /** Network hops of an answer. Default: as the image or the account says. */
    httpPutResponseHopLimit?: number;
    /** Default disabled. */
    httpProtocolIpv6?: '' | 'enabled' | 'disabled';
  };
  /** coreCount and threadsPerCore belong together. */
  cpuOptions?: {
    /** CPU cores. */
    coreCount?: number;
    /** 1 switches multithreading off. */
    threadsPerCore?: number;
    /** Memory encryption of AMD. Default disabled. */
    amdSevSnp?: 'enabled' | 'disabled';
  };
}
export interface AwsNetworkInterface {
  subnetID: string;
  /** @minItems 1 */
  securityGroupIDs: [string, ...string[]];
  /** A public IPv4 address. Default: as the subnet says. */
  associatePublicIPAddress?: boolean;
  /** The interface goes with the instance. Default true. */
  deleteOnTermination?: boolean;
  /** Description of the interface. Default: none. */
  description?: string;
  /** Position at its network card. Default: position in this list. */
  deviceIndex?: number;
  /** Index of the network card, for instance types with several. Default 0. */
  networkCardIndex?: number;
  /** Elastic Fabric Adapter or an ordinary interface. Default interface. */
  interfaceType?: 'interface' | 'efa' | 'efa-only';
  /** IPv6 addresses out of the subnet's range. Default: as the subnet says. */
  ipv6AddressCount?: number;
  /** The first IPv6 address is the primary one. Only with ipv6AddressCount; default true then. */
  primaryIpv6?: boolean;
  /** IPv6 prefixes, assigned once the instance exists. Default 0. */
  ipv6PrefixCount?: number;
}
export interface AwsBlockDevice {
  /**
   * `/root` is the image's root device, others are `/dev/sd[a-z]` or `/dev/xvd[a-c][a-z]`. Needed
   * if there are several. Default: root.
   */
  deviceName?: string;
  ebs?: AwsEbsVolume;
  /** Any text: the image's device of this name is left out. Replaces ebs. */
  noDevice?: string;
  /** An instance store volume, such as `ephemeral0`. Replaces ebs. */
  virtualName?: string;
}
/** Needed unless noDevice or virtualName is set. */
export interface AwsEbsVolume {
  volumeType: 'gp2' | 'gp3' | 'io1' | 'st1' | 'sc1' | 'standard';
  /** GiB. */
  volumeSize: number;
  /** Operations a second. Needed for io1. Default: as EC2 has it for the type. */
  iops?: number;
  /** MiB a second, gp3 only. Default: as EC2 has it. */
  throughput?: number;
  /** Default false, true if kmsKeyID is set. */
  encrypted?: boolean;
  /** The volume goes with the instance. Default true. */
  deleteOnTermination?: boolean;
  /** What the volume is made from. Default: nothing, or the image's. */
  snapshotID?: string;
  /** Key, alias or ARN; of no effect if encrypted is false. Default: the account's key. */
  kmsKeyID?: string;
}
