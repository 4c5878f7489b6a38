/** Refuses versions of the API that the cloud does not have, in Azure's words. */
import { Refusal } from './answer.ts';
import type { ApiVersions } from './resources.ts';

const services: readonly { pattern: RegExp; service: keyof ApiVersions }[] = [
  { pattern: /\/Microsoft\.Compute\/disks(\/|$)/i, service: 'disks' },
  { pattern: /\/Microsoft\.Compute\//i, service: 'compute' },
  { pattern: /\/Microsoft\.Network\//i, service: 'network' },
  { pattern: /\/Microsoft\.ResourceGraph\//i, service: 'graph' },
  { pattern: /\/Microsoft\.MarketplaceOrdering\//i, service: 'marketplace' },
];

export function requireApiVersion(path: string, version: string, known: ApiVersions): void {
  if (!/^\d{4}-\d\d-\d\d(-preview)?$/.test(version)) {
    throw new Refusal(400, 'MissingApiVersionParameter', 'the api-version is missing');
  }
  // Such an address is asked for as it was given.
  if (/operations\/[^/]+$/i.test(path)) return;
  const found = services.find(({ pattern }) => pattern.test(path));
  const versions = found ? known[found.service] : [];
  if (versions.includes(version)) return;
  const message = `No registered resource provider found for location 'westeurope' and API version '${version}' for type '${found?.service}'. The supported api-versions are '${versions.join(', ')}'. The supported locations are ', westeurope'.`;
  throw new Refusal(400, 'NoRegisteredProviderFound', message);
}
