/** Objects and the workflows that stand for them, compared both ways. */

export const entityKinds = ['machine', 'machineSet', 'machineDeployment'] as const;
export type EntityKind = (typeof entityKinds)[number];

/** An object, or the workflow of that name. */
export interface EntityRef {
  kind: EntityKind;
  name: string;
}

export interface EntityLook {
  /** Objects that there are. */
  objects: number;
  /** Workflows that run. */
  running: number;
  /** Objects whose workflow does not run. */
  unattended: EntityRef[];
  /** Workflows whose object is gone. */
  leftOver: EntityRef[];
  /** Of both that were left for a later look. */
  omitted: number;
  /** Workflows of an install or a control cluster that was replaced: nobody serves them. Absent: none. */
  foreign?: number;
}

export interface EntityFacts {
  objects: readonly EntityRef[];
  running: readonly EntityRef[];
  foreign?: number;
  /** Of each list of the answer. */
  limit: number;
}

/** The same facts in another order have the same answer, so that two looks can be compared. */
export function compareEntities({ objects, running, foreign = 0, limit }: EntityFacts): EntityLook {
  const unattended = without(objects, running);
  const leftOver = without(running, objects);
  return {
    objects: objects.length,
    running: running.length,
    unattended: unattended.slice(0, limit),
    leftOver: leftOver.slice(0, limit),
    omitted: Math.max(unattended.length - limit, 0) + Math.max(leftOver.length - limit, 0),
    ...(foreign > 0 && { foreign }),
  };
}

/** What two looks agree on: lists of workflows lag behind, and a signal may be on its way. */
export function agreedOn(first: EntityLook, second: EntityLook): EntityLook {
  return {
    ...second,
    unattended: both(first.unattended, second.unattended),
    leftOver: both(first.leftOver, second.leftOver),
  };
}

export function isWell({ unattended, leftOver, foreign = 0 }: EntityLook): boolean {
  return unattended.length + leftOver.length + foreign === 0;
}

function without(all: readonly EntityRef[], these: readonly EntityRef[]): EntityRef[] {
  const keys = new Set(these.map(keyOf));
  return all.filter((ref) => !keys.has(keyOf(ref))).toSorted(byKey);
}

function both(first: readonly EntityRef[], second: readonly EntityRef[]): EntityRef[] {
  const keys = new Set(first.map(keyOf));
  return second.filter((ref) => keys.has(keyOf(ref)));
}

function byKey(a: EntityRef, b: EntityRef): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** Deployments come before their sets, and sets before their machines. */
function keyOf({ kind, name }: EntityRef): string {
  return `${entityKinds.length - entityKinds.indexOf(kind)}/${name}`;
}
