/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/** `providerSpec` of a MachineClass with `provider: Alicloud`, as Gardener's driver reads it. */
export interface AlicloudProviderSpec {
  /** `mcm.gardener.cloud/v1alpha1`; not looked at. */
  apiVersion?: string;
  /** The image, such as `m-gw8iqj3z9vzpljm4v3ob`. */
  imageID: string;
  /** Type of the instance, such as `ecs.g7.large`. */
  instanceType: string;
  /** Where instances are made and looked for, such as `eu-central-1`. */
  region: string;
  /** The zone of the vSwitch, such as `eu-central-1a`. Default: that of the vSwitch. */
  zoneID?: string;
  /** The security group of the instance. */
  securityGroupID: string;
  /** The vSwitch of the instance's network card. */
  vSwitchID: string;
  /** Address within the vSwitch; useful for one machine only. Default: a free one. */
  privateIPAddress?: string;
  systemDisk?: SystemDisk;
  /** Made with the instance. */
  dataDisks?: DataDisk[];
  /** Only `PostPaid`: what is paid for in advance cannot be deleted. Default `PostPaid`. */
  instanceChargeType?: 'PostPaid';
  /** How traffic to the internet is paid for. Default: that of the cloud. */
  internetChargeType?: 'PayByBandwidth' | 'PayByTraffic';
  /** Mbit/s from the internet. Default: that of the cloud. */
  internetMaxBandwidthIn?: number;
  /** Mbit/s to the internet, up to 100; above 0 the instance gets a public address. Default 0. */
  internetMaxBandwidthOut?: number;
  /** `SpotAsPriceGo`: a spot instance at the price of the market. Default `NoSpot`. */
  spotStrategy?: 'NoSpot' | 'SpotWithPriceLimit' | 'SpotAsPriceGo';
  /** Default: that of the instance type. */
  IoOptimized?: 'none' | 'optimized';
  /**
   * Of instance, disks and network card. The key of one has to contain `kubernetes.io/cluster/` and
   * that of another `kubernetes.io/role/`: by them MCM and Millwright know which instances are of
   * this cluster. At most 17.
   */
  tags: {
    [k: string]: string;
  };
  /** The key pair for SSH. Default: none. */
  keyPairName?: string;
}
/** Default: that of the cloud. */
export interface SystemDisk {
  /** Such as `cloud_essd`. */
  category: string;
  /** GiB; at least what the image needs. */
  size: number;
}
export interface DataDisk {
  /** The disk is called MACHINE-NAME-data-disk. */
  name?: string;
  /** Such as `cloud_essd`. Default: that of the cloud. */
  category?: string;
  /** For people, 2 to 256 characters. Default: none. */
  description?: string;
  /** With the cloud's default key. Default false. */
  encrypted?: boolean;
  /** False: the disk stays when its instance is deleted. Default true. */
  deleteWithInstance?: boolean;
  /** GiB. */
  size?: number;
}
