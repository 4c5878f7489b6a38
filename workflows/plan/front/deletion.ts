/** Their MachineDeployment is being deleted. */
import { front } from '../../api/kubermatic-names.ts';
import {
  controllerUidOf,
  finalizersOfOthers,
  isDeleting,
  isMirror,
  isOrphaning,
  mirroredDeployment,
  type PoolFacts,
} from './facts.ts';
import { deletionsDown, markWrites, mirrored, pairs } from './mirror.ts';
import { templatesInUse, templateWrites, unusedTemplateDeletions } from './templates.ts';
import { deletionOf, patchOf, type PoolPlan, type Write } from './writes.ts';

/** Ours go first, and theirs are the last to go. */
export function planDeletion(facts: PoolFacts): PoolPlan {
  const { ours, theirs } = facts;
  const own = mirroredDeployment(facts);
  if (isOrphaned(facts)) return planOrphaning(facts);
  const up = mirrored(facts);
  const down = own && !isDeleting(own) ? [deletionOf('deployment', own)] : [];
  // Without a deployment nothing deletes a set that was taken over, and has no owner yet.
  const left = own ? [] : [...ours.sets].filter((one) => !isDeleting(one));
  const untaken = own || ours.sets.length > 0 ? [] : pairs(facts).filter(isUntaken);
  const free = pairs(facts).filter(isFree);
  const isOver =
    !own &&
    ours.sets.length + theirs.sets.length === 0 &&
    Math.max(ours.machines.length, theirs.machines.length) === free.length;
  const last: Write[] = isOver
    ? [
        ...free.flatMap((one) => (one.theirs ? [freedOf('theirMachine', one.theirs)] : [])),
        ...unusedTemplateDeletions(facts, () => false),
        releaseOf(facts),
      ]
    : [];
  return {
    state: 'current',
    groups: [
      [
        // With a credential that is good no more, no instance goes.
        ...templateWrites(facts, templatesInUse(facts)),
        ...markWrites(facts),
        ...down,
        ...left.map((set) => deletionOf('set', set)),
        ...untaken.map((one) => deletionOf('machine', one.ours)),
        ...deletionsDown(facts),
      ],
      ...up.groups,
      last,
    ],
    goesOn: up.goesOn || (!own && !isOver && up.groups.flat().length > 0),
  };
}

/**
 * `--cascade=orphan`. Its finalizer is gone as soon as the garbage collector has taken the owner
 * off the sets, which is sooner than a pass may see it; with the sets set free, nothing shows it.
 */
function isOrphaned({ theirs: { deployment, sets } }: PoolFacts): boolean {
  const { annotations = {}, uid } = deployment.metadata;
  if (isOrphaning(deployment) || annotations[front.orphaned] === 'true') return true;
  return sets.length > 0 && sets.every((set) => controllerUidOf(set) !== uid);
}

/** What is left of theirs is served no more; our sets and Machines stay as they are. */
function planOrphaning(facts: PoolFacts): PoolPlan {
  const { deployment } = facts.theirs;
  const own = mirroredDeployment(facts);
  const isNoted = deployment.metadata.annotations?.[front.orphaned] === 'true';
  const note = patchOf('theirDeployment', deployment, {
    metadata: { annotations: { [front.orphaned]: 'true' } },
  });
  const first = isNoted ? [] : [note];
  if (own) {
    const deletion = isDeleting(own) ? [] : [deletionOf('deployment', own, { orphans: true })];
    return { groups: [[...first, ...deletion]], goesOn: false, state: 'current' };
  }
  const { machines, sets } = facts.theirs;
  const writes = [
    ...first,
    ...machines.filter(isMirror).map((one) => freedOf('theirMachine', one)),
    ...sets.filter(isMirror).map((one) => freedOf('theirSet', one)),
    releaseOf(facts),
  ];
  return { groups: [writes], goesOn: false, state: 'current' };
}

/** Its set let it go: it outlasts the deployment too. */
function isFree({ ours, theirs }: ReturnType<typeof pairs>[number]): boolean {
  const owners = [ours, theirs].map((one) => one && controllerUidOf(one));
  return theirs !== undefined && !isDeleting(theirs) && owners.every((one) => one === undefined);
}

/** Its set was deleted in the middle of a take-over, before the core had made it the set's. */
function isUntaken({ ours, theirs }: ReturnType<typeof pairs>[number]): boolean {
  const owner = theirs && controllerUidOf(theirs);
  return owner !== undefined && controllerUidOf(ours) === undefined && !isDeleting(ours);
}

/** Its deletion is held up no more. */
function freedOf(
  kind: 'theirSet' | 'theirMachine',
  object: PoolFacts['theirs']['sets' | 'machines'][number],
): Write {
  return patchOf(kind, object, { metadata: { finalizers: finalizersOfOthers(object) } });
}

function releaseOf({ theirs: { deployment } }: PoolFacts): Write {
  const finalizers = (deployment.metadata.finalizers ?? []).filter(
    (one) => one !== front.finalizer,
  );
  return patchOf('theirDeployment', deployment, { metadata: { finalizers } });
}
