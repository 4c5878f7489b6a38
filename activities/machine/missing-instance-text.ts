import type { Instance } from '../../workflows/plan/machine/facts.ts';

/** The same text wherever it is written: each writer checks whether it is there already. */
export function formatLoss({ providerID }: Instance): string {
  return `the cloud has no instance ${providerID} any more`;
}
