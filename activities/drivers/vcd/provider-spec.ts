/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * Provider spec of a MachineClass with `provider: vmware-cloud-director`. The fields have the names
 * of Kubermatic's machine-controller; the address of the cloud stands in the Secret.
 */
export interface VcdProviderSpec {
  /** Name of the virtual data centre. */
  vdc: string;
  /** Name of the vApp, which has to be there. */
  vapp: string;
  catalog: string;
  /** Name of a vApp template of the catalog, with one machine in it. */
  template: string;
  /**
   * An interface for each; they have to be in the vApp.
   *
   * @minItems 1
   */
  networks: [string, ...string[]];
  /** Of all interfaces. Default DHCP. */
  ipAllocationMode?: 'POOL' | 'DHCP';
  cpus: number;
  /** Cores of each socket; cpus is a multiple of it. */
  cpuCores: number;
  /** MiB. */
  memoryMB: number;
  /** GiB of the template's first disk, not less than it has. Default: as it is. */
  diskSizeGB?: number;
  /** Name of one of the data centre. Default: its default. */
  storageProfile?: string;
}
