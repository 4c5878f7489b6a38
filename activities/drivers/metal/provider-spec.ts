/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/**
 * Provider spec of a MachineClass with `provider: metal`, as the driver of metal-stack for MCM
 * takes it.
 */
export interface MetalProviderSpec {
  /** Where the machine stands, e.g. fra-equ01. */
  partition: string;
  /** E.g. c1-xlarge-x86. */
  size: string;
  /** E.g. ubuntu-24.04. */
  image: string;
  /** Id of the project. */
  project: string;
  /** Id of the private network, in which it gets an address. */
  network: string;
  /** Of the form NAME=VALUE. One is cluster.metal-stack.io/id=CLUSTER. */
  tags: string[];
  /** Public keys that may log in. */
  sshKeys?: string[];
  /** At most 3. */
  dnsServers?: DnsServer[];
  /** At least 3 and at most 5, or none. */
  ntpServers?: NtpServer[];
}
export interface DnsServer {
  ip: string;
}
export interface NtpServer {
  /** IP address or DNS name. */
  address: string;
}
