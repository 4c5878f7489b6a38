/** The identity of a virtual machine, as Machines and Nodes have it. */
import { DriverError } from '../driver.ts';

/**
 * `azure:///westeurope/worker-1`, not the id in Azure's Resource Manager. Azure takes `West Europe`
 * as well: the location stands as the class spells it, because MCM, after the way back, deletes
 * what it lists under another id than its Machine has. We compare names alone.
 */
export function providerIdOf(location: string, machineName: string): string {
  return `azure:///${location}/${machineName}`;
}

/** `West Europe` is `westeurope`. */
export function plainLocation(location: string): string {
  return location.replaceAll(' ', '').toLowerCase();
}

export interface VmPlace {
  subscriptionId: string;
  resourceGroup: string;
}

const ofNode =
  /^azure:\/\/\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/virtualMachines\/([^/]+)$/i;

/**
 * The name in a providerID: in ours, or in that of the Node, which Azure's cloud controller manager
 * writes with the ARM id.
 */
export function nameInProviderId(providerID: string, place: VmPlace): string {
  const [, name] = /^azure:\/\/\/[^/]+\/([^/]+)$/.exec(providerID) ?? [];
  if (name !== undefined) return name;
  const [, subscription = '', group = '', nodeName] = ofNode.exec(providerID) ?? [];
  if (nodeName === undefined)
    throw wrongId(providerID, 'of the form azure:///LOCATION/NAME, or that of the Node');
  if (isSameText(subscription, place.subscriptionId) && isSameText(group, place.resourceGroup)) {
    return nodeName;
  }
  const { subscriptionId, resourceGroup } = place;
  throw wrongId(
    providerID,
    `in subscription ${subscriptionId} and resource group ${resourceGroup}, where the class makes its virtual machines`,
  );
}

function isSameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function wrongId(providerID: string, what: string): DriverError {
  const message = `spec.providerID: "${providerID}" is not ${what}`;
  return new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
}
