/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/** `providerSpec` of a MachineClass with `provider: yandex`, as the driver of 2020 reads it. */
export interface YandexProviderSpec {
  /** Not looked at. */
  apiVersion?: string;
  /**
   * Of the instance, at most 61. By one key that contains `kubernetes-io-cluster-` and one that
   * contains `kubernetes-io-role-` the instances that MCM has made are known.
   */
  labels?: {
    [k: string]: string;
  };
  /** Of the instance. `user-data` comes from the Secret. */
  metadata?: {
    [k: string]: string;
  };
  /** Not looked at: the zone says it. */
  regionID?: string;
  /** Where the instance is made, such as `ru-central1-a`. */
  zoneID: string;
  /** The hardware platform, such as `standard-v3`. */
  platformID: string;
  resourcesSpec: ResourcesSpec;
  bootDiskSpec: BootDiskSpec;
  /**
   * In the order of the instance's network cards.
   *
   * @minItems 1
   */
  networkInterfaceSpecs: [NetworkInterface, ...NetworkInterface[]];
  schedulingPolicy?: SchedulingPolicy;
}
export interface ResourcesSpec {
  /** Number of cores. */
  cores: number;
  /** Per cent of a core that are there at all times. Default 100. */
  coreFraction?: 0 | 5 | 20 | 50 | 100;
  /** Bytes. */
  memory: number;
  /** Number of GPUs. Default 0. */
  gpus?: 0 | 1 | 2 | 4;
}
export interface BootDiskSpec {
  /** The disk goes with its instance. Default false: it stays, as with the driver of 2020. */
  autoDelete?: boolean;
  /** Such as `network-ssd`. Default: that of the cloud. */
  typeID?: string;
  /** Bytes. */
  size: number;
  /** The image. */
  imageID: string;
}
export interface NetworkInterface {
  /** The subnet. */
  subnetID: string;
  /** The card gets a public IPv4 address. Default false. */
  assignPublicIPAddress?: boolean;
}
export interface SchedulingPolicy {
  /** The cloud may stop the instance at any time, and does after a day. Default false. */
  preemptible?: boolean;
}
