/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/** A quantity of Kubernetes, such as 2 or 8Gi. */
export type Quantity = string | number;

/**
 * `providerSpec` of a MachineClass with `provider: kubevirt`, as Gardener's driver reads it. What
 * stands in an object of KubeVirt, CDI or Kubernetes is passed on, and checked by the API server.
 */
export interface KubevirtProviderSpec {
  /**
   * `topology.kubernetes.io/region` of the nodes that may run the machine; `default`: of nodes
   * without one; `*`: of any.
   */
  region: string;
  /** `topology.kubernetes.io/zone` of these nodes; `default`: of nodes without one; `*`: of any. */
  zone: string;
  resources: Resources;
  devices?: Devices;
  rootVolume: DataVolume;
  /** More disks, in this order after the root disk and that of the user data. */
  additionalVolumes?: AdditionalVolume[];
  /** Public keys, which are added to the user data as `ssh_authorized_keys`. */
  sshKeys?: string[];
  /**
   * Networks of Multus. The pod network comes first unless one of them is `default`. Default: the
   * pod network alone.
   */
  networks?: Network[];
  /** Topology of the CPUs: KubeVirt's `CPU`, such as `cores`, `sockets`, `threads`, `model`. */
  cpu?: {};
  /** KubeVirt's `Memory`: `guest`, `hugepages`. */
  memory?: {};
  /** Of the machine's pod. Default `ClusterFirst`. */
  dnsPolicy?: 'ClusterFirstWithHostNet' | 'ClusterFirst' | 'Default' | 'None';
  dnsConfig?: DnsConfig;
  /** Labels of the VirtualMachine, its Secret and its DataVolumes. */
  tags?: {
    [k: string]: string;
  };
}
/** CPU and memory of the machine's pod. */
export interface Resources {
  /** What is reserved. `cpu` and `memory` are needed. */
  requests: {
    cpu: Quantity;
    memory: Quantity;
    [k: string]: Quantity;
  };
  /** What it may use at most. Default: no limit. */
  limits?: {
    [k: string]: Quantity;
  };
  /** The scheduler leaves out what KubeVirt itself needs. Default false. */
  overcommitGuestOverhead?: boolean;
}
/** Details of the disks and cards. */
export interface Devices {
  /**
   * KubeVirt's `Disk` for `root-disk` or for an additional volume of this name. Default: a virtio
   * disk for each.
   */
  disks?: Disk[];
  /** `{}`: a random number generator of the host. */
  rng?: {};
  /** A queue for each CPU, for virtio disks. Default false. */
  blockMultiQueue?: boolean;
  /** A queue for each CPU, for virtio network cards. Default false. */
  networkInterfaceMultiqueue?: boolean;
}
export interface Disk {
  /** `root-disk`, or that of an additional volume. */
  name: string;
  bootOrder?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/** CDI's `DataVolumeSpec`: `source` or `sourceRef`, and either `pvc` or `storage` with the size. */
export interface DataVolume {
  pvc?: Claim;
  storage?: Claim;
  /** Where the content is from, such as `http`, `registry`, `pvc` or `blank`. */
  source?: {};
  [k: string]: unknown;
}
/**
 * The claim that holds the volume. With `storage` CDI finds the access mode where none is given.
 */
export interface Claim {
  resources: {
    requests: {
      storage: Quantity;
      [k: string]: Quantity;
    };
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
export interface AdditionalVolume {
  /** For `devices.disks`. */
  name: string;
  dataVolume?: DataVolume;
  volumeSource?: VolumeSource;
}
/** Something that is there already. Exactly one of its fields. */
export interface VolumeSource {
  /** Kubernetes' `PersistentVolumeClaimVolumeSource`. */
  persistentVolumeClaim?: {};
  /** KubeVirt's `ConfigMapVolumeSource`. */
  configMap?: {};
  /** KubeVirt's `SecretVolumeSource`. */
  secret?: {};
}
export interface Network {
  /** NAME or NAMESPACE/NAME of a NetworkAttachmentDefinition. */
  name: string;
  /** In the place of the pod network. Default false. */
  default?: boolean;
}
/** Kubernetes' `PodDNSConfig`. */
export interface DnsConfig {
  nameservers?: string[];
  [k: string]: unknown;
}
