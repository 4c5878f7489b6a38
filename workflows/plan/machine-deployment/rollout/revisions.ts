/** Revisions of the template: a number on each set, and the numbers that it had before. */

/** Kubernetes cuts the history of a ReplicaSet at the same length; MCM v0.62.1 lets it grow. */
const longestHistory = 2000;

/** Annotation `deployment.kubernetes.io/revision`; 0 for none and for nonsense. */
export function revisionOf(text: string | undefined): number {
  const revision = Number(text ?? 0);
  return Number.isSafeInteger(revision) && revision > 0 ? revision : 0;
}

/**
 * Annotation `deployment.kubernetes.io/revision-history` when the set leaves a revision. The
 * earliest are forgotten first.
 */
export function historyWith(history: string | undefined, left: number): string {
  const revisions = [...(history ?? '').split(',').filter(Boolean), String(left)];
  while (revisions.length > 1 && revisions.join(',').length > longestHistory) revisions.shift();
  return revisions.join(',');
}
