/** What is wrong with a provider spec of metal-stack. */
import { specReading } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
import type { MetalProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

/** By this tag metal-stack's driver for MCM knows the machines of a cluster. */
const clusterTag = 'cluster.metal-stack.io/id=';

export const { specOf, validateProviderSpec } = specReading<MetalProviderSpec>(schema, tagFaults);

/** Of a spec that may be wrong elsewhere. */
export function clusterTagOf(providerSpec: unknown): string | undefined {
  const { tags }: Record<string, unknown> = Object(providerSpec);
  const texts: unknown[] = Array.isArray(tags) ? tags : [];
  return texts
    .filter((tag) => typeof tag === 'string')
    .find((tag) => tag.startsWith(clusterTag) && tag.length > clusterTag.length);
}

export function projectOf(providerSpec: unknown): string | undefined {
  const { project }: Record<string, unknown> = Object(providerSpec);
  return typeof project === 'string' && project !== '' ? project : undefined;
}

function tagFaults({ tags }: MetalProviderSpec): string[] {
  const faults = tags.flatMap((tag, index) =>
    tag.startsWith('millwright.dev/')
      ? [`providerSpec.tags[${index}]: tags that begin with millwright.dev/ are set by Millwright`]
      : [],
  );
  if (clusterTagOf({ tags }) !== undefined) return faults;
  const allowed = `a list with a tag of the form ${clusterTag}CLUSTER: without it metal-stack knows no cluster`;
  return [...faults, refusal('providerSpec.tags', tags, allowed)];
}
