/** What is wrong with a provider spec: by its schema, and by rules that span fields. */
import { specReading } from '../spec-schema.ts';
import type { DigitalOceanProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { isOurs } from './tags.ts';

export const { specOf, validateProviderSpec } = specReading<DigitalOceanProviderSpec>(
  schema,
  faultsBetweenFields,
);

function faultsBetweenFields({ ipv6, publicNetworking, tags = [] }: DigitalOceanProviderSpec) {
  const faults = tags
    .filter(isOurs)
    .map(
      (tag) =>
        `providerSpec.tags: "${tag}": tags that begin with millwright- are set by Millwright`,
    );
  if (publicNetworking === false && ipv6) {
    faults.push('providerSpec.ipv6: true needs publicNetworking, which is false');
  }
  return faults;
}
