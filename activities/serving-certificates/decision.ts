/**
 * Whether a request for a serving certificate of a kubelet is approved. Pure: what is known of
 * Machine, Node and cloud goes in, and a reason comes out.
 */
import { isIP, isIPv6, SocketAddress } from 'node:net';
import { quoted } from '../../workflows/api/validation.ts';
import type { NodeAddress } from '../../workflows/api/machine.ts';
import { lastPartOf } from '../../workflows/values/provider-id.ts';
import type { AskedNames } from './request.ts';

/** `spec` of a CertificateSigningRequest. */
export interface RequestSpec {
  /** PEM in base64. */
  request: string;
  signerName: string;
  /** The identity that the API server wrote there. */
  username?: string;
  groups?: string[];
  usages?: string[];
}

export const kubeletServing = 'kubernetes.io/kubelet-serving';

const prefix = 'system:node:';
/** A longer one is no value of a label, so no Machine has it. */
const nodeNameForm = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const requiredGroups = ['system:nodes', 'system:authenticated'];
const requiredUsages = ['digital signature', 'server auth'];
const allowedUsages = [...requiredUsages, 'key encipherment'];

export type Requester = { nodeName: string } | { fault: string };

/** The Node that asks, by the identity that the API server authenticated. */
export function requesterOf({
  signerName,
  username = '',
  groups = [],
  usages = [],
}: RequestSpec): Requester {
  if (signerName !== kubeletServing)
    return { fault: `signerName: ${quoted(signerName)}: must be ${kubeletServing}` };
  const nodeName = username.startsWith(prefix) ? username.slice(prefix.length) : '';
  if (!nodeNameForm.test(nodeName)) {
    return {
      fault: `username: ${quoted(username)}: must be ${prefix}NODE, of at most 63 characters`,
    };
  }
  const missing = requiredGroups.find((group) => !groups.includes(group));
  if (missing !== undefined) return { fault: `groups: must have ${missing}` };
  const isExact =
    new Set(usages).size === usages.length &&
    requiredUsages.every((usage) => usages.includes(usage)) &&
    usages.every((usage) => allowedUsages.includes(usage));
  if (isExact) return { nodeName };
  return {
    fault: `usages: ${quoted(usages.join(', '))}: must be ${requiredUsages.join(', ')} and, if it is there, key encipherment`,
  };
}

/** Names in the request are what the requester is called. */
export function faultOfSubject({ commonName }: AskedNames, nodeName: string): string | undefined {
  if (commonName === `${prefix}${nodeName}`) return undefined;
  return `CN: ${quoted(commonName)}: must be the requester, ${prefix}${nodeName}`;
}

/** Of the Machine and the Node of that name. */
export interface Owner {
  /** Machines whose label `node` has the name. */
  machines: readonly {
    name: string;
    namespace: string;
    providerID?: string | undefined;
    isDeleting: boolean;
  }[];
  /** Undefined: there is no such Node. */
  node: { providerID?: string | undefined } | undefined;
}

/** Undefined: the Node is that of the one Machine that names it. */
export function faultOfOwner(nodeName: string, { machines, node }: Owner): string | undefined {
  const [machine, ...others] = machines;
  if (!machine) return `no Machine of ours names Node ${nodeName}`;
  const { name, providerID = '', isDeleting } = machine;
  if (others.length > 0)
    return `Machines ${machines.map((one) => `${one.namespace}/${one.name}`).join(', ')} name Node ${nodeName}: one must`;
  if (isDeleting) return `Machine ${name} is being deleted`;
  if (providerID === '') return `Machine ${name} has no spec.providerID yet`;
  if (!node) return `Node ${nodeName} does not exist yet`;
  const said = node.providerID ?? '';
  if (said === '') return `Node ${nodeName} has no spec.providerID yet`;
  if (lastPartOf(said) !== lastPartOf(providerID)) {
    return `Node ${nodeName} is of instance ${quoted(said)}, and Machine ${name} of ${quoted(providerID)}`;
  }
  return undefined;
}

const dnsTypes = ['Hostname', 'InternalDNS', 'ExternalDNS'];
const ipTypes = ['InternalIP', 'ExternalIP'];

/**
 * Undefined: all names and addresses are the Node's. `addresses`: as the cloud reported them; what
 * the Node says of itself counts for nothing, as the kubelet that asks wrote it.
 */
export function faultOfAddresses(
  { dnsNames, ips }: AskedNames,
  {
    nodeName,
    machineName,
    addresses,
  }: { nodeName: string; machineName: string; addresses: readonly NodeAddress[] },
): string | undefined {
  const of = (types: string[]) =>
    addresses.filter(({ type }) => types.includes(type)).map(({ address }) => address);
  const names = new Set([nodeName, ...of(dnsTypes)].map((name) => name.toLowerCase()));
  const otherName = dnsNames.find((name) => !names.has(name.toLowerCase()));
  if (otherName !== undefined) {
    return `DNS name ${quoted(otherName)}: the cloud reported no such name for Machine ${machineName}`;
  }
  const known = of(ipTypes).flatMap((ip) => canonicalIp(ip) ?? []);
  const otherIp = ips.find((ip) => !known.includes(canonicalIp(ip) ?? ''));
  if (otherIp === undefined) return undefined;
  if (known.length === 0) return `the cloud reported no address for Machine ${machineName}`;
  return `IP address ${quoted(otherIp)}: the cloud reported ${known.join(', ')} for Machine ${machineName}`;
}

/**
 * One text for each address. An IPv4 address in IPv6 is the IPv4 address, which Go signs in its
 * place. Undefined: it is none, or names an interface.
 */
export function canonicalIp(text: string): string | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  const family = isIPv6(text) ? 'ipv6' : 'ipv4';
  const { address } = new SocketAddress({ address: text, family });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}
