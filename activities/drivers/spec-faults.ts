/**
 * What the built-in drivers of clouds say of a provider spec, without the drivers: the command
 * would carry their SDKs.
 */
import awsSchema from './aws/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateAws } from './aws/validate.ts';
import azureSchema from './azure/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateAzure } from './azure/validate.ts';
import gcpSchema from './gcp/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateGcp } from './gcp/validate.ts';
import { readingOf } from './spec-spelling.ts';

type Check = (providerSpec: unknown) => string[];

const checks: ReadonlyMap<string, Check> = new Map([
  ['AWS', checkOf(awsSchema, validateAws)],
  ['Azure', checkOf(azureSchema, validateAzure)],
  ['GCP', checkOf(gcpSchema, validateGcp)],
]);

function checkOf(schema: object, validate: Check): Check {
  const read = readingOf(schema);
  return (providerSpec) => validate(read(providerSpec));
}

/** A sentence for each fault; none for a provider of which nothing is known here. */
export function specFaultsOf(provider: string, providerSpec: unknown): string[] {
  return checks.get(provider)?.(providerSpec) ?? [];
}
