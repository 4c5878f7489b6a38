/** What is wrong with a provider spec: by its schema, and by rules that span fields. */
import { refusal, specCheck, withoutNulls } from '../spec-schema.ts';
import type { AlicloudProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { classTagsMax, clusterTagPart, roleTagPart, searchTagsOf, tagPrefix } from './tags.ts';

const checkSchema = specCheck(schema);

/**
 * A sentence for each fault; empty when there is none. Rules that span fields are looked at once
 * each field is right.
 */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  if (faults.length > 0) return faults;
  const { tags } = specOf(providerSpec);
  return [...searchFaults(providerSpec, tags), ...keyFaults(tags), ...countFaults(tags)];
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): AlicloudProviderSpec {
  const spec: AlicloudProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}

type Tags = AlicloudProviderSpec['tags'];

/** Gardener's driver refuses such a class at each create. */
function searchFaults(providerSpec: unknown, tags: Tags): string[] {
  if (searchTagsOf(providerSpec)) return [];
  const allowed = `a map with a key that contains ${clusterTagPart} and one that contains ${roleTagPart}: without both no instance is found again`;
  return [refusal('providerSpec.tags', tags, allowed)];
}

function keyFaults(tags: Tags): string[] {
  return Object.entries(tags).flatMap(([key, value]) => {
    if (key.startsWith(tagPrefix)) {
      return [`providerSpec.tags.${key}: tags that begin with ${tagPrefix} are set by Millwright`];
    }
    const isKey = /^(?!aliyun|acs:)(?!.*https?:\/\/).{1,128}$/.test(key);
    const isValue = /^(?!.*https?:\/\/).{0,128}$/.test(value);
    const allowed = 'up to 128 characters without http:// and https://';
    return [
      ...(isKey
        ? []
        : [
            refusal(
              'providerSpec.tags',
              key,
              `a key of ${allowed}, that begins neither with aliyun nor acs:`,
            ),
          ]),
      ...(isValue ? [] : [refusal(`providerSpec.tags.${key}`, value, `a value of ${allowed}`)]),
    ];
  });
}

function countFaults(tags: Tags): string[] {
  const count = Object.keys(tags).length;
  return count <= classTagsMax
    ? []
    : [
        `providerSpec.tags: ${count} are more than ${classTagsMax}, as Alibaba Cloud takes 20 and three are ours`,
      ];
}
