/** What is wrong with a provider spec: by its schema, and by the rules of Gardener's driver. */
import { specReading } from '../spec-schema.ts';
import type { VsphereProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };
import { searchTagsOf } from './tags.ts';

/** Of a spec that is not checked. */
export const { specOf, validateProviderSpec } = specReading<Partial<VsphereProviderSpec>>(
  schema,
  ruleFaults,
);

function ruleFaults(spec: Partial<VsphereProviderSpec>): string[] {
  const rules = {
    'providerSpec: either datastoreCluster or datastore field is required':
      spec.datastoreCluster || spec.datastore,
    'providerSpec: either computeCluster or resourcePool or hostSystem field is required':
      spec.computeCluster || spec.resourcePool || spec.hostSystem,
    "providerSpec.tags: tag required of the form 'mcm.gardener.cloud/cluster=****' or 'kubernetes.io/cluster/****=1'":
      searchTagsOf(spec.tags).cluster,
    "providerSpec.tags: tag required of the form 'mcm.gardener.cloud/role=****' or 'kubernetes.io/role/****=1'":
      searchTagsOf(spec.tags).role,
    'providerSpec.customization: specifications of a vCenter are not possible here, use user data':
      !spec.customization,
  };
  return Object.entries(rules).flatMap(([sentence, isKept]) => (isKept ? [] : [sentence]));
}

export function warningsOf(providerSpec: unknown): string[] {
  const { force, waitForIP } = specOf(providerSpec);
  return [
    ...(force ? ['providerSpec.force is ignored: nothing is overwritten'] : []),
    ...(waitForIP ? ['providerSpec.waitForIP is ignored: the Node is waited for in any case'] : []),
  ];
}
