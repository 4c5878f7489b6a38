/** What the core hears of an EC2 instance. */
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import type { Instance } from '../driver.ts';
import { providerIdOf } from './provider-id.ts';

export const liveStates = ['pending', 'running', 'stopping', 'stopped'] as const;

export function isLive({ State }: Ec2Instance): boolean {
  return liveStates.some((state) => state === State?.Name);
}

/** Accepted, and not started yet. */
export function isPending({ State }: Ec2Instance): boolean {
  return State?.Name === 'pending';
}

/** Gone but for its entry, which EC2 lists for an hour or so. */
export function isTerminated({ State }: Ec2Instance): boolean {
  return State?.Name === 'terminated';
}

/** The Node registers with its private DNS name, which comes a moment after the instance. */
export function isNamed({ PrivateDnsName }: Ec2Instance): boolean {
  return PrivateDnsName !== undefined && PrivateDnsName !== '';
}

export function idOf({ InstanceId = '' }: Ec2Instance): string {
  return InstanceId;
}

export function viewOf(
  instance: Ec2Instance,
  { region, isInitialized }: { region: string; isInitialized: boolean },
): Instance {
  return {
    providerID: providerIdOf(region, idOf(instance)),
    nodeName: instance.PrivateDnsName ?? '',
    addresses: addressesOf(instance),
    isInitialized,
  };
}

/** As the types of Kubernetes' NodeAddress. */
function addressesOf(instance: Ec2Instance): { type: string; address: string }[] {
  const addresses = [
    { type: 'InternalIP', address: instance.PrivateIpAddress },
    { type: 'InternalIP', address: instance.Ipv6Address },
    { type: 'ExternalIP', address: instance.PublicIpAddress },
    { type: 'InternalDNS', address: instance.PrivateDnsName },
    { type: 'Hostname', address: instance.PrivateDnsName },
    { type: 'ExternalDNS', address: instance.PublicDnsName },
  ];
  return addresses.flatMap(({ type, address }) => (address ? [{ type, address }] : []));
}
