/** What is wrong with a provider spec: by its schema, and by one rule that no schema says. */
import { refusal, specCheck, withoutNulls } from '../spec-schema.ts';
import type { AlicloudProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { searchTagsOf } from './tags.ts';

const checkSchema = specCheck(schema);

/** Gardener's driver refuses a class without the two tags at each create. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  const { tags } = specOf(providerSpec);
  if (faults.length > 0 || searchTagsOf({ tags })) return faults;
  const keys =
    'a key that contains kubernetes.io/cluster/ and one that contains kubernetes.io/role/';
  const allowed = `a map with ${keys}: without both no instance is found again`;
  return [refusal('providerSpec.tags', tags, allowed)];
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): AlicloudProviderSpec {
  return Object(withoutNulls(providerSpec));
}
