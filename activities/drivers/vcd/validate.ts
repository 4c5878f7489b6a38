/** What is wrong with a provider spec of VMware Cloud Director. */
import { specCheck, withoutNulls } from '../spec-schema.ts';
import type { VcdProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

const checkSchema = specCheck(schema);

/** They are of the Secret: a class must not say where the password goes. */
const keysOfSecret = ['url', 'organization', 'username', 'password', 'apiToken', 'allowInsecure'];

/** A sentence for each fault; empty when there is none. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const given = Object.keys(Object(providerSpec));
  const faults = [
    ...checkSchema(providerSpec),
    ...keysOfSecret
      .filter((key) => given.includes(key))
      .map((key) => `providerSpec.${key}: it is a key of the Secret, and of no class`),
  ];
  const { cpus, cpuCores } = specOf(providerSpec);
  if (faults.length === 0 && cpus % cpuCores !== 0) {
    faults.push(`providerSpec.cpus: ${cpus} is not a multiple of cpuCores, ${cpuCores}`);
  }
  return faults;
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): VcdProviderSpec {
  const spec: VcdProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}
