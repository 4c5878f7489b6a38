/** What is wrong with a provider spec: by its schema, and by rules that span fields. */
import { specCheck, withoutNulls } from '../spec-schema.ts';
import type { DigitalOceanProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { isOurs } from './tags.ts';

const checkSchema = specCheck(schema);

/** A sentence for each fault; empty when there is none. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  return faults.length > 0 ? faults : faultsBetweenFields(specOf(providerSpec));
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): DigitalOceanProviderSpec {
  const spec: DigitalOceanProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}

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
