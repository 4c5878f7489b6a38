/** What is wrong with a provider spec of Nutanix. */
import { specCheck, withoutNulls } from '../spec-schema.ts';
import type { NutanixProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

const checkSchema = specCheck(schema);

/** They are of the Secret: a class must not say where the password goes. */
const keysOfSecret = ['endpoint', 'port', 'username', 'password', 'allowInsecure', 'proxyURL'];

/** A sentence for each fault; empty when there is none. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const given = Object.keys(Object(providerSpec));
  const misplaced = keysOfSecret.filter((key) => given.includes(key));
  return [
    ...checkSchema(providerSpec),
    ...misplaced.map((key) =>
      key === 'proxyURL'
        ? 'providerSpec.proxyURL: the proxy is that of the worker, HTTPS_PROXY in its environment'
        : `providerSpec.${key}: it is a key of the Secret, and of no class`,
    ),
  ];
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): NutanixProviderSpec {
  const spec: NutanixProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}
