/** Their MachineDeployment is being deleted. */
import { front } from '../../api/kubermatic-names.ts';
import {
  finalizersOfOthers,
  isDeleting,
  isMirror,
  isOrphaning,
  mirroredDeployment,
  type PoolFacts,
} from './facts.ts';
import { deletionsDown, markWrites, mirrored } from './mirror.ts';
import { unusedTemplateDeletions } from './templates.ts';
import { deletionOf, patchOf, type PoolPlan, type Write } from './writes.ts';

/** Ours go first, and theirs are the last to go. */
export function planDeletion(facts: PoolFacts): PoolPlan {
  const { ours, theirs } = facts;
  const own = mirroredDeployment(facts);
  if (isOrphaning(theirs.deployment)) return planOrphaning(facts);
  const up = mirrored(facts);
  const down = own && !isDeleting(own) ? [deletionOf('deployment', own)] : [];
  // Without a deployment nothing deletes a set that was taken over, and has no owner yet.
  const left = own ? [] : [...ours.sets].filter((one) => !isDeleting(one));
  const isOver =
    !own &&
    ours.sets.length + ours.machines.length + theirs.sets.length + theirs.machines.length === 0;
  const last: Write[] = isOver
    ? [...unusedTemplateDeletions(facts, () => false), releaseOf(facts)]
    : [];
  return {
    state: 'current',
    groups: [
      [
        ...markWrites(facts),
        ...down,
        ...left.map((set) => deletionOf('set', set)),
        ...deletionsDown(facts),
      ],
      ...up.groups,
      last,
    ],
    goesOn: up.goesOn || (!own && !isOver && up.groups.flat().length > 0),
  };
}

/** What is left of theirs is served no more; our sets and Machines stay as they are. */
function planOrphaning(facts: PoolFacts): PoolPlan {
  const own = mirroredDeployment(facts);
  if (own) {
    const deletion = isDeleting(own) ? [] : [deletionOf('deployment', own, { orphans: true })];
    return { groups: [deletion], goesOn: false, state: 'current' };
  }
  const freed = (kind: 'theirSet' | 'theirMachine') =>
    (kind === 'theirSet' ? facts.theirs.sets : facts.theirs.machines)
      .filter(isMirror)
      .map((object) =>
        patchOf(kind, object, { metadata: { finalizers: finalizersOfOthers(object) } }),
      );
  const writes = [...freed('theirMachine'), ...freed('theirSet'), releaseOf(facts)];
  return { groups: [writes], goesOn: false, state: 'current' };
}

function releaseOf({ theirs: { deployment } }: PoolFacts): Write {
  const finalizers = (deployment.metadata.finalizers ?? []).filter(
    (one) => one !== front.finalizer,
  );
  return patchOf('theirDeployment', deployment, { metadata: { finalizers } });
}
