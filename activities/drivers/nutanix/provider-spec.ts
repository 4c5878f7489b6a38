/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * Provider spec of a MachineClass with `provider: nutanix`. The fields have the names of
 * Kubermatic's machine-controller; the address of Prism Central stands in the Secret.
 */
export interface NutanixProviderSpec {
  /** Of the cluster that runs the machines, as Prism Central names it. */
  clusterName: string;
  /** Default: the project of the user. */
  projectName?: string;
  /** Of the first interface. */
  subnetName: string;
  /** An interface for each. */
  additionalSubnetNames?: string[];
  /** The disk is a copy of it. */
  imageName: string;
  /** Sockets. */
  cpus: number;
  /** Cores of each socket. Default 1. */
  cpuCores?: number;
  /** The guest sees the processor of the host. Default false. */
  cpuPassthrough?: boolean;
  /** MiB. */
  memoryMB: number;
  /** GiB. Default: the size of the image. */
  diskSize?: number;
  /** One value for each; both have to exist in Prism Central. */
  categories?: {
    [k: string]: string;
  };
}
