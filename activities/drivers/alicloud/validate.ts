/** What is wrong with a provider spec: by its schema, and by one rule that no schema says. */
import { specReading } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
import type { AlicloudProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { searchTagsOf } from './tags.ts';

export const { specOf, validateProviderSpec } = specReading<AlicloudProviderSpec>(
  schema,
  tagFaults,
);

/** Gardener's driver refuses a class without the two tags at each create. */
function tagFaults({ tags }: AlicloudProviderSpec): string[] {
  if (searchTagsOf({ tags })) return [];
  const keys =
    'a key that contains kubernetes.io/cluster/ and one that contains kubernetes.io/role/';
  const allowed = `a map with ${keys}: without both no instance is found again`;
  return [refusal('providerSpec.tags', tags, allowed)];
}
