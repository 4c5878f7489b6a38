/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/** `providerSpec` of a MachineClass with `provider: GCP`, as Gardener's driver reads it. */
export interface GcpProviderSpec {
  /** Name of the machine type, such as `n2-standard-4`; without the zone. */
  machineType: string;
  /** The region of the subnetworks, such as `europe-west1`. */
  region: string;
  /** Where instance and disks are made, such as `europe-west1-b`. */
  zone: string;
  /**
   * Made with the instance. One of them has to be the boot disk.
   *
   * @minItems 1
   */
  disks: [Disk, ...Disk[]];
  /**
   * In the order of the instance's network cards.
   *
   * @minItems 1
   */
  networkInterfaces: [NetworkInterface, ...NetworkInterface[]];
  scheduling: Scheduling;
  /**
   * Network tags. One has to contain `kubernetes-io-cluster-` and another `kubernetes-io-role-`: by
   * them MCM and Millwright know which instances are of this cluster. Of several the last counts,
   * as with MCM.
   */
  tags: string[];
  /** The instance may send and receive packets with foreign addresses. Default false. */
  canIpForward?: boolean;
  /**
   * Google refuses to delete the instance until this is cleared on it, so machines cannot be
   * deleted either. Default false.
   */
  deletionProtection?: boolean;
  /** For people. Default: none. */
  description?: string;
  labels?: Labels1;
  /** Beside the user data. Default: none. */
  metadata?: {
    /**
     * Up to 128 letters, digits, dashes and underscores. `user-data` is refused: it comes from the
     * Secret.
     */
    key: string;
    /** Up to 256 KiB. Default: empty. */
    value?: string;
  }[];
  /** Such as `Intel Ice Lake`. Default: Google's choice. */
  minCpuPlatform?: string;
  /** Needs `scheduling.onHostMaintenance: TERMINATE`. Default: none. */
  gpu?: {
    /** Name of the accelerator type, such as `nvidia-tesla-t4`. */
    acceleratorType: string;
    /** How many of them. */
    count: number;
  };
  /** Whose rights programs on the instance have; Google allows one. Default: none. */
  serviceAccounts?: {
    /** The email address of the service account, or `default`. */
    email: string;
    /**
     * URLs of the access scopes, such as `https://www.googleapis.com/auth/cloud-platform`. Default:
     * none.
     */
    scopes?: string[];
  }[];
  /** Shielded VM. What is absent is left to Google and the image; an explicit `false` is sent. */
  shieldedInstanceConfiguration?: {
    /** Only signed boot software runs. Default: Google's, false. */
    secureBoot?: boolean;
    /** A virtual trusted platform module. Default: Google's, true. */
    vtpm?: boolean;
    /** Compares each boot with a baseline. Default: Google's, true. */
    integrityMonitoring?: boolean;
  };
  /** Default: Google's. */
  advancedMachineFeatures?: {
    /** The instance may run virtual machines itself. Default: Google's, false. */
    enableNestedVirtualization?: boolean;
  };
}
export interface Disk {
  /** The instance starts from it; needs `image`. Default false. */
  boot?: boolean;
  /**
   * What the disk is filled with: `projects/PROJECT/global/images/NAME`, or a family. Default:
   * empty disk.
   */
  image?: string;
  /** GiB. Default: that of the image. Local SSDs have a fixed size. */
  sizeGb?: number;
  /**
   * Name of the disk type, such as `pd-ssd` or `hyperdisk-balanced`; `SCRATCH` is a local SSD.
   * Default: Google's, `pd-standard`.
   */
  type?: string;
  /** The interface of local SSDs, which need it; ignored elsewhere. */
  interface?: string;
  /** Deleted with the instance. Default true. */
  autoDelete?: boolean;
  labels?: Labels;
  /** With a key of yours. Default: Google's keys. */
  encryption?: {
    /** `projects/P/locations/L/keyRings/R/cryptoKeys/K` */
    kmsKeyName: string;
    /**
     * Email address of the service account that uses the key. Default: the Compute Engine service
     * agent.
     */
    kmsKeyServiceAccount?: string;
  };
  /** Operations per second, for disk types that allow it. Default and 0: Google's. */
  provisionedIops?: number;
  /** MiB per second, for disk types that allow it. Default and 0: Google's. */
  provisionedThroughput?: number;
  /** `projects/P/zones/Z/storagePools/NAME` of a hyperdisk. Default: none. */
  storagePool?: string;
}
/** Labels of the disk. Default: none. */
export interface Labels {
  [k: string]: string;
}
export interface NetworkInterface {
  /** Name of the network. `network`, `subnetwork` or both are needed. */
  network?: string;
  /** Name of the subnetwork, in `region`. */
  subnetwork?: string;
  /** True: no address in the Internet. Default false: the instance gets one. */
  disableExternalIP?: boolean;
  /** IPv4 alone or with IPv6. Default: Google's, `IPV4_ONLY`. */
  stackType?: '' | 'IPV4_ONLY' | 'IPV4_IPV6';
  /** Who reaches the IPv6 address; used with `IPV4_IPV6`. Default: that of the subnetwork. */
  ipv6accessType?: '' | 'INTERNAL' | 'EXTERNAL';
  /**
   * Takes a range for pods out of the subnetwork. Default false; with `IPV4_IPV6` it is taken
   * anyway if one is given.
   */
  useAliasIPs?: boolean;
  /** Size of the range for pods: `/0` to `/32`. Needs `useAliasIPs` or `IPV4_IPV6`. */
  ipCidrRange?: string;
  /** The secondary range of the subnetwork that it is taken from. Default: the primary one. */
  subnetworkRangeName?: string;
}
/**
 * What becomes of the instance when its host needs maintenance or its capacity is needed elsewhere.
 */
export interface Scheduling {
  /** At maintenance of the host: moved while it runs, or ended. */
  onHostMaintenance: 'MIGRATE' | 'TERMINATE';
  /** Started again after Google ended it. Default false. */
  automaticRestart?: boolean;
  /** The older kind of spot, which lives for 24 hours at most. Default false. */
  preemptible?: boolean;
  /**
   * `SPOT` is cheaper and can be taken back at any time. Not in Gardener's driver. Default
   * `STANDARD`.
   */
  provisioningModel?: 'STANDARD' | 'SPOT';
  /**
   * What becomes of a spot instance that is taken back. Needs `SPOT`. Not in Gardener's driver.
   * Default: Google's, `STOP`.
   */
  instanceTerminationAction?: 'STOP' | 'DELETE';
}
/**
 * Labels of the instance. `millwright-cluster`, `millwright-namespace`, `millwright-machine-uid`
 * and `millwright-token` are set beside them. Default: none.
 */
export interface Labels1 {
  [k: string]: string;
}
