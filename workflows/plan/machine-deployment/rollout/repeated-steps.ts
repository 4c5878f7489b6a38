/** Steps that were done, and are planned again as if they had not been. */
import type { DeploymentStep } from './steps.ts';

/**
 * Text of what the steps leave on the objects; equal for steps that were planned for another state
 * of the same set.
 *
 * @param scaling Sizes that a scaled set notes: another surge alone changes nothing else.
 */
export function effectOf(
  steps: readonly DeploymentStep[],
  scaling: { desired: number; max: number },
): string {
  const isNoted = steps.some(({ action }) => action === 'scaleSet');
  return JSON.stringify([steps, isNoted ? scaling : null], (key, value: unknown) =>
    key === 'resourceVersion' || key === 'reason' ? undefined : value,
  );
}

/**
 * Reports whether each write to a set was accepted: one for a set that changed meanwhile is left
 * out and planned anew.
 */
export function areAccepted(
  steps: readonly DeploymentStep[],
  { written, isCut = false }: { written: readonly { name: string }[]; isCut?: boolean },
): boolean {
  if (isCut) return false;
  return steps.every(
    (step) => !('resourceVersion' in step) || written.some(({ name }) => name === step.name),
  );
}

/** For people. */
export function notKept(steps: readonly { action: string; name?: string }[]): string {
  const what = steps.map(({ action, name }) => (name === undefined ? action : `${action} ${name}`));
  return `${what.join(', ')}: written, but not to be found afterwards: a webhook, another controller or the schema of the resource takes it back`;
}
