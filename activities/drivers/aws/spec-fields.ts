/** Single fields of an unchecked provider spec: finding and deleting need no more of the class. */
import { DriverError } from '../driver.ts';
import { refusal } from '../spec-schema.ts';
import { parseProviderId } from './provider-id.ts';

/**
 * Where to ask. An instance whose identity names another region than the class is asked for there.
 */
export function regionOf(providerSpec: unknown, providerID?: string): string {
  const region = fieldOf(providerSpec, 'region');
  const isName = typeof region === 'string' && isRegion(region);
  if (providerID !== undefined) {
    const { place } = parseProviderId(providerID);
    // A zone has the name of its region and more.
    return isName && place.startsWith(region) ? region : place;
  }
  if (isName) return region;
  const allowed = 'the name of a region, such as eu-west-1';
  const message = refusal('providerSpec.region', region, allowed);
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
}

/** It becomes a part of a host's name. */
function isRegion(name: string): boolean {
  return /^[a-z0-9-]+$/.test(name);
}

export function tagKeysOf(providerSpec: unknown): string[] {
  const tags = fieldOf(providerSpec, 'tags');
  return typeof tags === 'object' && tags !== null ? Object.keys(tags) : [];
}

export function fieldOf(providerSpec: unknown, name: string): unknown {
  if (typeof providerSpec !== 'object' || providerSpec === null) return undefined;
  return Object.entries(providerSpec).find(([key]) => key === name)?.[1];
}
