/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * Provider spec of a MachineClass with `provider: anexia`. The fields have the names of
 * Kubermatic's machine-controller; sshPublicKey and dnsServers stand beside them there.
 */
export interface AnexiaProviderSpec {
  /** Id of the location. */
  locationID: string;
  /** Or template. */
  templateID?: string;
  /** Name of a template of the location, e.g. Ubuntu 24.04. */
  template?: string;
  /** E.g. b74. Default latest. */
  templateBuild?: string;
  cpus: number;
  /** Default performance. */
  cpuPerformanceType?: string;
  /** MiB. */
  memory: number;
  /** GB of the only disk; an older form of disks. */
  diskSize?: number;
  /**
   * The first one is the boot disk.
   *
   * @minItems 1
   */
  disks?: [AnexiaDisk, ...AnexiaDisk[]];
  /** Of the only interface; an older form of networks. */
  vlanID?: string;
  /** @minItems 1 */
  networks?: [AnexiaNetwork, ...AnexiaNetwork[]];
  /** @maxItems 4 */
  dnsServers?:
    [] | [string] | [string, string] | [string, string, string] | [string, string, string, string];
  /** Without a key the machine would get a password. */
  sshPublicKey: string;
}
export interface AnexiaDisk {
  /** GB. */
  size: number;
  /** Default ENT2 for the boot disk; others need one. */
  performanceType?: string;
}
export interface AnexiaNetwork {
  /** Id of the VLAN. */
  vlan: string;
  /** Ids; an address of each is reserved. */
  prefixes?: string[];
}
