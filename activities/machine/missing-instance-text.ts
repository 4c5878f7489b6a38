import type { Instance } from '../../workflows/plan/machine/facts.ts';

/** The same wherever it is said: whoever says it looks whether it stands there. */
export function formatLoss({ providerID }: Instance): string {
  return `the cloud has no instance ${providerID} any more`;
}
