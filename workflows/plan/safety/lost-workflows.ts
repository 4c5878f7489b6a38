/** Objects and the workflows that stand for them, compared both ways. */

export const workflowKinds = ['machine', 'machineSet', 'machineDeployment'] as const;
export type WorkflowKind = (typeof workflowKinds)[number];

/** An object, or the workflow of that name. */
export interface WorkflowRef {
  kind: WorkflowKind;
  name: string;
}

export interface WorkflowComparison {
  /** Objects that there are. */
  objects: number;
  /** Workflows that run. */
  running: number;
  /** Objects whose workflow does not run. */
  unattended: WorkflowRef[];
  /** Workflows whose object is gone. */
  leftOver: WorkflowRef[];
  /** Number of entries of both that were left for a later check. */
  omitted: number;
  /**
   * Workflows of an install or a control cluster that was replaced: no worker serves them. Absent:
   * none.
   */
  replaced?: number;
}

export interface ComparisonFacts {
  objects: readonly WorkflowRef[];
  running: readonly WorkflowRef[];
  replaced?: number;
  /** The next watcher signals every object: no workflow is missed. Default false. */
  areAwaited?: boolean;
  /** Length limit of each list of the answer. */
  limit: number;
}

/** The same facts in another order have the same answer, so that two checks can be compared. */
export function compare({
  objects,
  running,
  replaced = 0,
  areAwaited = false,
  limit,
}: ComparisonFacts): WorkflowComparison {
  const unattended = areAwaited ? [] : without(objects, running);
  const leftOver = without(running, objects);
  return {
    objects: objects.length,
    running: running.length,
    unattended: unattended.slice(0, limit),
    leftOver: leftOver.slice(0, limit),
    omitted: Math.max(unattended.length - limit, 0) + Math.max(leftOver.length - limit, 0),
    ...(replaced > 0 && { replaced }),
  };
}

/**
 * Returns the findings on which two checks agree: lists of workflows lag behind, and a signal may
 * be on its way.
 */
export function agreedOn(
  first: WorkflowComparison,
  second: WorkflowComparison,
): WorkflowComparison {
  return {
    ...second,
    unattended: both(first.unattended, second.unattended),
    leftOver: both(first.leftOver, second.leftOver),
  };
}

export function isWell({ unattended, leftOver, replaced = 0 }: WorkflowComparison): boolean {
  return unattended.length + leftOver.length + replaced === 0;
}

function without(all: readonly WorkflowRef[], these: readonly WorkflowRef[]): WorkflowRef[] {
  const keys = new Set(these.map(keyOf));
  return all.filter((ref) => !keys.has(keyOf(ref))).toSorted(byKey);
}

function both(first: readonly WorkflowRef[], second: readonly WorkflowRef[]): WorkflowRef[] {
  const keys = new Set(first.map(keyOf));
  return second.filter((ref) => keys.has(keyOf(ref)));
}

function byKey(a: WorkflowRef, b: WorkflowRef): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** Deployments come before their sets, and sets before their machines. */
function keyOf({ kind, name }: WorkflowRef): string {
  return `${workflowKinds.length - workflowKinds.indexOf(kind)}/${name}`;
}
