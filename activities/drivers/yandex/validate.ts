/** What is wrong with a provider spec, by its schema. */
import { specCheck, withoutNulls } from '../spec-schema.ts';
import type { YandexProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

/** A sentence for each fault; empty when there is none. */
export const validateProviderSpec = specCheck(schema);

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): YandexProviderSpec {
  return Object(withoutNulls(providerSpec));
}
