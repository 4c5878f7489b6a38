/** State of the sets once steps are done, known without another read. */
import type { DeploymentFacts, SetFacts } from './facts.ts';
import type { DeploymentStep } from './steps.ts';

/** A set as a write returned it. */
export interface WrittenSet {
  name: string;
  resourceVersion: string;
}

/**
 * Undefined when only another read can show it: DisruptionPolicies count what a step has taken,
 * over all deployments.
 */
export function afterSteps(
  facts: DeploymentFacts,
  steps: readonly DeploymentStep[],
  written: readonly WrittenSet[],
): DeploymentFacts | undefined {
  const versions = new Map(written.map(({ name, resourceVersion }) => [name, resourceVersion]));
  const scales = steps.filter((step) => step.action === 'scaleSet');
  const isKnown = scales.length === steps.length && scales.every(({ name }) => versions.has(name));
  if (!isKnown || scales.some(({ disrupts }) => disrupts)) return undefined;
  const sets = facts.sets.map((set): SetFacts => {
    const step = scales.find(({ name }) => name === set.name);
    if (!step) return set;
    const { replicas, from } = step;
    return {
      ...set,
      resourceVersion: versions.get(set.name) ?? set.resourceVersion,
      replicas,
      isObserved: set.isObserved && replicas === from,
      // Those that were chosen go first; behind them are others.
      ...(set.chosen && { chosen: set.chosen.slice(Math.max(from - replicas, 0)) }),
      desired: facts.replicas,
      max: facts.replicas + facts.maxSurge,
      hasFreshScaling: true,
    };
  });
  return { ...facts, sets };
}
